import { describe, expect, it } from 'vitest';
import { createJointRadio } from '../../../agent/product/joint-radio.js';
import type { Radio, RadioLink, RadioState } from '../../../agent/product/radio.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import type { Beacon, WantedBeacons } from '../../../agent/sensor/beacons.js';
import { createListeners } from '../../../agent/waiting/listeners.js';
import type { Advertisement } from '../../../agent/product/radio.js';
import { FakeClock, settle } from '../../world/fake-clock.js';

const NEAR = 'a4c138000001';
const FAR = 'a4c138000002';

/** An adapter whose links the test ends. */
function adapter(state: RadioState = 'on') {
  const states = createListeners<RadioState>();
  const advertisements = createListeners<Advertisement>();
  const beacons = createListeners<Beacon>();
  const slotsWanted = createListeners<readonly string[]>();
  const connects: string[] = [];
  const ends: (() => void)[] = [];
  const own = { state, isFailing: false, isClosed: false, wanted: [] as readonly WantedBeacons[] };
  const radio: Radio = {
    get state() {
      return own.state;
    },
    onStateChange: states.add,
    onAdvertisement: advertisements.add,
    onSlotWanted: slotsWanted.add,
    onBeacon: beacons.add,
    wantBeacons(wanted) {
      own.wanted = wanted;
    },
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
    hearBeacon: beacons.notify,
    wantSlot: slotsWanted.notify,
    hear: (address: string, rssi: number) =>
      advertisements.notify({ address, rssi, manufacturerData: new Uint8Array(25) }),
  };
}

function joint() {
  const [first, second] = [adapter(), adapter()];
  const clock = new FakeClock();
  return { first, second, clock, radio: createJointRadio([first.radio, second.radio], { clock }) };
}

describe('several adapters as one radio', () => {
  it('wants the same beacons by each, and passes on what each hears of them', () => {
    const { first, second, radio } = joint();
    const heard: string[] = [];
    const stop = radio.onBeacon(({ address }) => heard.push(address));
    const wanted: WantedBeacons[] = [{ kind: 'manufacturer', id: 89, addresses: null }];
    radio.wantBeacons(wanted);
    expect([first.own.wanted, second.own.wanted]).toEqual([wanted, wanted]);
    first.hearBeacon({ kind: 'manufacturer', bytes: Uint8Array.of(89, 0), address: NEAR });
    second.hearBeacon({ kind: 'manufacturer', bytes: Uint8Array.of(89, 0), address: FAR });
    stop();
    second.hearBeacon({ kind: 'manufacturer', bytes: Uint8Array.of(89, 0), address: FAR });
    expect(heard).toEqual([NEAR, FAR]);
  });

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

  it.each([
    ['one with fewer links, where it hears it about as well', -40, -50, 'second'],
    ['not one that hears it much worse, however idle it is', -40, -95, 'first'],
  ] as const)('connects by %s', async (_what, firstRssi, secondRssi, expected) => {
    const { first, second, radio } = joint();
    first.hear(FAR, -40);
    await radio.connect(FAR, { timeoutMs: 1 });
    first.hear(NEAR, firstRssi);
    second.hear(NEAR, secondRssi);
    await radio.connect(NEAR, { timeoutMs: 1 });
    expect({ first, second }[expected].connects.at(-1)).toBe(NEAR);
  });

  it('forgets what one heard long before another', async () => {
    const { first, second, clock, radio } = joint();
    first.hear(NEAR, -40);
    await clock.advance(10_000);
    second.hear(NEAR, -90);
    await radio.connect(NEAR, { timeoutMs: 1 });
    expect([first.connects, second.connects]).toEqual([[NEAR], []]);
    first.ends[0]?.();
    await clock.advance(1);
    second.hear(NEAR, -90);
    await radio.connect(NEAR, { timeoutMs: 1 });
    expect([first.connects, second.connects]).toEqual([[NEAR], [NEAR]]);
    second.ends[0]?.();
    // What nobody heard since is the best that is known.
    await clock.advance(3_600_000);
    await radio.connect(NEAR, { timeoutMs: 1 });
    expect(second.connects).toEqual([NEAR, NEAR]);
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
