import { describe, expect, it } from 'vitest';
import { createJointRadio } from '../../../agent/product/joint-radio.js';
import type { Radio, RadioLink, RadioState } from '../../../agent/product/radio.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import { createListeners } from '../../../agent/waiting/listeners.js';
import type { Advertisement } from '../../../agent/product/radio.js';
import { settle } from '../../sim/world/fake-clock.js';

const NEAR = 'a4c138000001';
const FAR = 'a4c138000002';

/** An adapter whose links the test ends. */
function adapter(state: RadioState = 'on') {
  const states = createListeners<RadioState>();
  const advertisements = createListeners<Advertisement>();
  const connects: string[] = [];
  const ends: (() => void)[] = [];
  const own = { state, isFailing: false, isClosed: false };
  const radio: Radio = {
    get state() {
      return own.state;
    },
    onStateChange: states.add,
    onAdvertisement: advertisements.add,
    async connect(address) {
      connects.push(address);
      if (own.isFailing) throw new Error('no');
      const closed = deferred<void>();
      ends.push(() => closed.resolve());
      return { closed: closed.promise } as RadioLink;
    },
    async close() {
      own.isClosed = true;
    },
  };
  return {
    radio,
    own,
    connects,
    ends,
    become(next: RadioState) {
      own.state = next;
      states.notify(next);
    },
    hear: (address: string, rssi: number) =>
      advertisements.notify({ address, rssi, manufacturerData: new Uint8Array(25) }),
  };
}

function joint() {
  const [first, second] = [adapter(), adapter()];
  return { first, second, radio: createJointRadio([first.radio, second.radio]) };
}

describe('several adapters as one radio', () => {
  it('is on while one of them is, and passes on what each hears', () => {
    const { first, second, radio } = joint();
    const states: RadioState[] = [];
    const heard: string[] = [];
    radio.onStateChange((state) => states.push(state));
    const stop = radio.onAdvertisement(({ address }) => heard.push(address));
    first.become('unavailable');
    expect([radio.state, states]).toEqual(['on', []]);
    second.become('unavailable');
    first.become('on');
    expect([radio.state, states]).toEqual(['on', ['unavailable', 'on']]);
    first.hear(NEAR, -50);
    second.hear(FAR, -60);
    stop();
    first.hear(NEAR, -50);
    expect(heard).toEqual([NEAR, FAR]);
  });

  it('connects by the adapter that hears the product, and hears it best', async () => {
    const { first, second, radio } = joint();
    second.hear(FAR, -60);
    await radio.connect(FAR, { timeoutMs: 1 });
    expect([first.connects, second.connects]).toEqual([[], [FAR]]);
    second.ends[0]?.();
    await settle();
    first.hear(NEAR, -80);
    second.hear(NEAR, -40);
    await radio.connect(NEAR, { timeoutMs: 1 });
    expect([first.connects, second.connects]).toEqual([[], [FAR, NEAR]]);
  });

  it('spreads links over those that hear the product, until they end or fail', async () => {
    const { first, second, radio } = joint();
    for (const each of [first, second]) for (const address of [NEAR, FAR]) each.hear(address, -50);
    first.hear(NEAR, -40);
    await radio.connect(NEAR, { timeoutMs: 1 });
    await radio.connect(FAR, { timeoutMs: 1 });
    expect([first.connects, second.connects]).toEqual([[NEAR], [FAR]]);
    second.ends[0]?.();
    await settle();
    second.own.isFailing = true;
    await expect(radio.connect(FAR, { timeoutMs: 1 })).rejects.toThrow('no');
    second.own.isFailing = false;
    await radio.connect(FAR, { timeoutMs: 1 });
    expect([first.connects, second.connects]).toEqual([[NEAR], [FAR, FAR, FAR]]);
  });

  it('does without an adapter that is off, and forgets what that heard', async () => {
    const { first, second, radio } = joint();
    first.hear(NEAR, -40);
    first.become('unavailable');
    await radio.connect(NEAR, { timeoutMs: 1 });
    expect([first.connects, second.connects]).toEqual([[], [NEAR]]);
    first.become('on');
    second.hear(NEAR, -90);
    await radio.connect(NEAR, { timeoutMs: 1 });
    expect(second.connects).toEqual([NEAR, NEAR]);
    await radio.close();
    expect([first.own.isClosed, second.own.isClosed]).toEqual([true, true]);
  });
});
