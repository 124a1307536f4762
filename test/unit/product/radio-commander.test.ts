import { describe, expect, it } from 'vitest';
import { LINK_KEPT_MS } from '../../../agent/product/held-links.js';
import { encodeRefuse } from '../../../shared/product-protocol/message-codec.js';
import { settle } from '../../world/fake-clock.js';
import { DONE, failed, startWorld } from './commander-world.js';
import { MOVEMENT_MS } from './machine-product.js';
import { BARRIER, GATE, productItem } from './product-item.js';

describe('commands over the radio', () => {
  it('begin to connect before the call returns, and tell of the end at once', async () => {
    const { clock, barrier, connects, command } = await startWorld();
    const opening = command();
    expect(connects).toEqual([BARRIER]);
    await clock.advance(MOVEMENT_MS - 1);
    expect([opening.now, barrier.state.movement?.target]).toEqual([null, 'opened']);
    await clock.advance(1);
    expect(opening.now).toEqual(DONE);
    expect([barrier.moves, barrier.radio.connected]).toEqual([1, true]);
    await clock.advance(LINK_KEPT_MS);
    expect(barrier.radio.connected).toBe(false);
    command();
    expect(connects).toEqual([BARRIER, BARRIER]);
  });

  it('tell what the product said to the watch', async () => {
    const { clock, watch, command } = await startWorld();
    command();
    await clock.advance(MOVEMENT_MS);
    expect(watch.reports()[0]).toMatchObject({ device_id: BARRIER, state: 'opened', autoclose_time: 10 });
  });

  it('wait for a product that was not heard yet, but not for ever', async () => {
    const { clock, barrier, connects, command } = await startWorld({ heard: false });
    const given = command();
    await clock.advance(4_999);
    expect([given.now, connects]).toEqual([null, []]);
    await clock.advance(1);
    expect([given.now, connects]).toEqual([failed(4), []]);

    const later = command();
    await clock.advance(3_000);
    barrier.radio.setPath({ inRange: true });
    await clock.advance(100 + MOVEMENT_MS);
    expect(later.now).toEqual(DONE);
  });

  it('are 3, not 4, where the radio is what is missing', async () => {
    const { clock, fake, connects, command } = await startWorld({ heard: false });
    fake.setPower(false);
    const unheard = command();
    await clock.advance(5_000);
    expect([unheard.now, connects]).toEqual([failed(3), []]);

    const known = await startWorld();
    known.fake.setPower(false);
    const given = known.command();
    await settle();
    expect([given.now, known.connects]).toEqual([failed(3), [BARRIER]]);
  });

  it('are 3 at once where the radio is switched off', async () => {
    const { clock, connects, command } = await startWorld({ state: 'off', heard: false });
    const given = command();
    await settle();
    expect([given.now, connects, clock.pending]).toEqual([failed(3), [], 2]);
  });

  it('are 4 for an unknown product, 8 for one that is not paired, without any radio', async () => {
    const { clock, watch, connects, command } = await startWorld();
    watch.setProducts([productItem(GATE, { pairing: null })]);
    const given = [command(), command({ device_id: GATE })];
    await settle();
    expect(given.map(({ now }) => now)).toEqual([failed(4), failed(8)]);
    expect([connects, clock.pending]).toEqual([[], 2]);
  });

  it('give a product that has gone 10 s', async () => {
    const { clock, barrier, logged, command } = await startWorld();
    barrier.radio.setPath({ inRange: false });
    const given = command();
    await clock.advance(9_999);
    expect(given.now).toBeNull();
    await clock.advance(1);
    expect(given.now).toEqual(failed(4));
    expect(logged).toEqual([
      expect.objectContaining({
        device_id: BARRIER,
        command: 'open',
        took_ms: 10_000,
        type: 4,
        reason: `Product ${BARRIER} did not answer in time`,
        message: 'product did not: Device not found',
      }),
    ]);
  });

  it('never move anything late: no REQUEST leaves after the deadline', async () => {
    const { clock, barrier, connects, command } = await startWorld();
    const late = command({ limitMs: 0 });
    await clock.advance(0);
    expect([late.now, connects]).toEqual([failed(3), []]);

    barrier.isSilent = true;
    const unanswered = command({ limitMs: 1_000 });
    await clock.advance(1_000);
    expect([unanswered.now, barrier.received]).toEqual([failed(3), ['01']]);
    expect(barrier.radio.connected).toBe(false);
    expect(barrier.moves).toBe(0);
  });

  it('wait long for the answer to a REQUEST, for the product may be moving', async () => {
    const { clock, barrier, command } = await startWorld();
    barrier.movementMs = 119_000;
    const slow = command({ limitMs: 1_000 });
    await clock.advance(118_999);
    expect(slow.now).toBeNull();
    await clock.advance(1);
    expect(slow.now).toEqual(DONE);

    const stuck = command({ command: { name: 'close' } });
    await clock.advance(1_000);
    barrier.isSilent = true;
    await clock.advance(123_999);
    expect(stuck.now).toBeNull();
    await clock.advance(1);
    expect(stuck.now).toEqual(failed(3));
  });

  it('are 2 when the link is lost, before the REQUEST as after it', async () => {
    const { clock, barrier, command } = await startWorld();
    barrier.isSilent = true;
    const before = command();
    await clock.advance(10);
    barrier.radio.disconnect();
    await settle();
    expect(before.now).toEqual(failed(2));

    barrier.isSilent = false;
    const during = command();
    await clock.advance(500);
    expect(barrier.state.movement).not.toBeNull();
    barrier.radio.disconnect();
    await settle();
    expect([during.now, barrier.moves]).toEqual([failed(2), 1]);
  });

  it('set the clock of a product that lost it, and are given once more', async () => {
    const { clock, barrier, command } = await startWorld({ rtcValid: false });
    const given = command();
    await clock.advance(MOVEMENT_MS);
    expect(given.now).toEqual(DONE);
    expect([barrier.moves, barrier.received]).toEqual([1, ['01', '02', '01', '02', '01', '02']]);
    expect(barrier.state.rtc?.timeS).toBe(Math.floor(Date.UTC(2026, 0, 15, 12) / 1000));
  });

  it('are 9 where the gateway does not know the time either', async () => {
    const { clock, barrier, command } = await startWorld({ rtcValid: false, knownTime: () => null });
    const given = command();
    await clock.advance(100);
    expect([given.now, barrier.received, barrier.moves]).toEqual([failed(9, true), ['01', '02'], 0]);
  });

  it('are 9 when the product does not take the time, but the link’s own failure when that is lost meanwhile', async () => {
    const early = await startWorld({ rtcValid: false, knownTime: () => Date.UTC(2020, 0, 1) });
    // The floor of its clock is later than what it is told.
    early.barrier.give({ type: 'rtcChanged', timeS: Math.floor(early.clock.now() / 1000) });
    early.barrier.give({ type: 'rtcChanged', timeS: null });
    const refused = early.command();
    await early.clock.advance(100);
    expect(refused.now).toEqual(failed(9, true));

    const { clock, barrier, command } = await startWorld({
      rtcValid: false,
      knownTime() {
        barrier.isSilent = true;
        return Date.UTC(2026, 0, 15, 12);
      },
    });
    const lost = command();
    await clock.advance(5_000);
    expect(lost.now).toEqual(failed(3));
  });

  it('take nobody’s hint for the product’s own word', async () => {
    const { clock, barrier, command } = await startWorld({ rtcValid: false });
    barrier.isSilent = true;
    const given = command();
    await clock.advance(0);
    barrier.isSilent = false;
    barrier.sendRaw(encodeRefuse({ type: 9, rtcS: 0 }));
    await clock.advance(100);
    expect([given.now, barrier.received]).toEqual([failed(9), ['01']]);
  });

  it('have no credentials that cannot be read', async () => {
    const { clock, watch, barrier, command } = await startWorld();
    const item = productItem(BARRIER);
    const { pairing } = item;
    if (pairing === null) expect.fail('it is paired');
    watch.setProducts([{ ...item, pairing: { ...pairing, token_open: { ...pairing.token_open, token: 'AAAA' } } }]);
    const given = command();
    await clock.advance(100);
    expect([given.now, barrier.received]).toEqual([failed(1), []]);
  });
});
