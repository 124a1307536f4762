import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LINK_KEPT_MS } from '../../../agent/product/held-links.js';
import type { ProductDeviceId } from '../../../shared/ids.js';
import type { SimProduct } from '../../../scripts/sim/products/sim-product.js';
import type { FakeClock } from '../../world/fake-clock.js';
import { DONE, failed } from '../../unit/product/commander-world.js';
import { itWhere } from '../../conformance/it-where.js';
import { BARRIER, GATE, productItem } from '../../unit/product/product-item.js';
import { MOVEMENT_MS, type RadioGateway, type RadioWorld, SOUTH } from './radio-world.js';

/**
 * What commands do over a radio with real Bluetooth libraries at both ends.
 * @param start a world of its own for each test
 * @param isWhole whether the products' range can be changed, advertisements are repeated, and there are several links at once; what needs one
 * of these is skipped otherwise
 */
export function commandSuite(name: string, start: () => Promise<RadioWorld>, isWhole = true): void {
  describe(name, () => {
    const itWhole = itWhere(isWhole, name);
    let world: RadioWorld;
    let clock: FakeClock;
    let barrier: SimProduct;
    let gate: SimProduct;
    let north: RadioGateway;

    const startGateway: RadioWorld['startGateway'] = (...given) => world.startGateway(...given);
    const heard: RadioWorld['heard'] = (...given) => world.heard(...given);
    const until: RadioWorld['until'] = (...given) => world.until(...given);
    const command: RadioWorld['command'] = (...given) => world.command(...given);
    const move: RadioWorld['move'] = (...given) => world.move(...given);

    beforeEach(async () => {
      world = await start();
      ({ clock, barrier, gate, north } = world);
    });

    afterEach(() => world.close());

    it('open once, and not again for the same event_id, nor by another gateway', async () => {
      expect(await move('open', { eventId: 'deadbeef' })).toEqual(DONE);
      expect(barrier.view()).toMatchObject({ state: 'opened', moves: 1 });
      expect(await command('open', { eventId: 'deadbeef' })).toEqual(DONE);
      const south = await startGateway(SOUTH);
      await clock.advance(LINK_KEPT_MS);
      expect(await command('open', { eventId: 'deadbeef', on: south })).toEqual(DONE);
      await clock.advance(LINK_KEPT_MS);
      expect(barrier.view()).toMatchObject({ state: 'opened', moves: 1 });

      expect(await move('close')).toEqual(DONE);
      expect(await command('open', { eventId: 'deadbeef' })).toEqual(DONE);
      expect(barrier.view()).toMatchObject({ state: 'closed', moves: 2 });
    });

    it('are reported within 2 s of the end of the movement', async () => {
      for (const [operation, state] of [
        ['open', 'opened'],
        ['close', 'closed'],
      ] as const) {
        expect(await move(operation)).toEqual(DONE);
        await clock.advance(2_000);
        const report = north.reports.at(-1)?.products.find(({ device_id }) => device_id === BARRIER);
        expect(report).toMatchObject({ status: 'online', state, autoclose_time: 10 });
      }
    });

    itWhole('are reported by a gateway that only heard of the movement, too', async () => {
      const south = await startGateway(SOUTH);
      await heard(south, BARRIER);
      expect(await move('open')).toEqual(DONE);
      await clock.advance(LINK_KEPT_MS);
      await expect.poll(() => south.watch.reports()[0]).toMatchObject({ device_id: BARRIER, state: 'opened' });
      await clock.advance(250);
      expect(south.reports.at(-1)?.products[0]).toMatchObject({ state: 'opened', autoclose_time: null });
    });

    itWhole('go to one product one after the other, in their order, and to others meanwhile', async () => {
      const opening = command('open');
      const closed = command('close');
      await until('moving');
      expect(await command('status', { to: GATE })).toEqual(DONE);
      expect([barrier.view().state, north.connects]).toEqual(['moving', 2]);
      await clock.advance(MOVEMENT_MS);
      expect(await opening).toEqual(DONE);
      await until('moving');
      await clock.advance(MOVEMENT_MS);
      expect(await closed).toEqual(DONE);
      expect(barrier.view()).toMatchObject({ state: 'closed', moves: 2 });
      expect(gate.view().moves).toBe(0);
    });

    itWhole('are 4 for a product out of range, when their time is over, and for one that was never heard', async () => {
      barrier.change({ in_range: false });
      north.linkWithinMs = 1_000;
      expect(await command('open', { limitMs: 1_000 })).toEqual(failed(4));
      expect(barrier.view().moves).toBe(0);

      const stranger = 'a4c138000003' as ProductDeviceId;
      north.watch.setProducts([productItem(stranger)]);
      const unheard = command('open', { to: stranger });
      await clock.advance(5_000);
      expect(await unheard).toEqual(failed(4));
      expect(await command('open')).toEqual(failed(4));
      expect(north.connects).toBe(1);
    });

    itWhole(
      'are 2 when the link is lost while the product moves, and told its result when they are given again',
      async () => {
        const lost = command('open', { eventId: 'deadbeef' });
        await until('moving');
        barrier.change({ in_range: false });
        expect(await lost).toEqual(failed(2));
        await clock.advance(MOVEMENT_MS);
        expect(barrier.view()).toMatchObject({ state: 'opened', moves: 1 });
        barrier.change({ in_range: true });
        expect(await command('open', { eventId: 'deadbeef' })).toEqual(DONE);
        expect(barrier.view().moves).toBe(1);
      },
    );

    it('set the clock of a product that lost it, and are given once more', async () => {
      barrier.change({ rtc_valid: false });
      expect(await move('open')).toEqual(DONE);
      expect(barrier.view()).toMatchObject({ rtc_valid: true, state: 'opened', moves: 1 });
      expect(north.connects).toBe(1);
    });

    it('are 9 from a gateway that does not know the time either', async () => {
      const south = await startGateway(SOUTH, { knownTime: () => null });
      barrier.change({ rtc_valid: false });
      expect(await command('open', { on: south })).toEqual(failed(9, true));
      expect(barrier.view()).toMatchObject({ rtc_valid: false, state: 'closed', moves: 0 });
      expect(await command('status', { on: south })).toEqual(DONE);
    });

    it('never close onto a car, and open with one', async () => {
      barrier.change({ car_on_top: true });
      expect(await move('open')).toEqual(DONE);
      expect(await command('close')).toEqual(failed(6, true));
      expect(barrier.view()).toMatchObject({ state: 'opened', moves: 1 });
      barrier.change({ car_on_top: false, sensor_dirty: true });
      expect(await command('close')).toEqual(failed(7, true));
      barrier.change({ sensor_dirty: false });

      const closed = command('close');
      await until('moving');
      await clock.advance(500);
      barrier.change({ car_on_top: true });
      await clock.advance(500);
      expect(await closed).toEqual(failed(6, true));
      expect(barrier.view().state).toBe('opened');
    });

    it('are 5 when the product jams', async () => {
      barrier.change({ jammed: true });
      expect(await move('open')).toEqual(failed(5, true));
      expect(barrier.view().moves).toBe(0);
      expect(north.watch.reports()[0]).toMatchObject({ device_id: BARRIER, state: 'error', errors: 1 });
    });

    it('are 8 for a product that the configuration has no pairing of, without a connection', async () => {
      north.watch.setProducts([productItem(BARRIER, { pairing: null })]);
      expect([await command('open'), north.connects]).toEqual([failed(8), 0]);
    });

    it('are an unauthenticated 1 with the credentials of another pairing', async () => {
      north.watch.setProducts([productItem(BARRIER, { pairing: { pairingEpoch: 2 } })]);
      expect(await command('open')).toEqual(failed(1));
      const foreign = { masterKey: new Uint8Array(32).fill(7), pairingEpoch: 3 };
      north.watch.setProducts([productItem(BARRIER, { pairing: foreign })]);
      expect(await command('open')).toEqual(failed(1));
      expect(barrier.view().moves).toBe(0);
    });

    it('move nothing when their deadline passes before the REQUEST leaves', async () => {
      expect(await command('open', { limitMs: 0 })).toEqual(failed(3));
      expect(north.connects).toBe(0);

      north.onLink = async (link) => {
        await clock.advance(1_001);
        return link;
      };
      expect(await command('open', { limitMs: 1_000 })).toEqual(failed(3));

      // HELLO has left, its answer is on the way.
      const written: Uint8Array[] = [];
      north.onLink = (link) => ({
        mtu: link.mtu,
        closed: link.closed,
        onNotification: link.onNotification,
        close: () => link.close(),
        async write(fragment) {
          written.push(fragment);
          await clock.advance(1_001);
          await link.write(fragment);
        },
      });
      expect(await command('open', { limitMs: 1_000 })).toEqual(failed(3));
      expect(written).toHaveLength(1);
      expect([barrier.view().moves, north.connects]).toEqual([0, 2]);

      north.onLink = (link) => link;
      expect(await move('open')).toEqual(DONE);
    });

    itWhole('are called off by a signal, and the next one is served', async () => {
      barrier.change({ in_range: false });
      const abort = new AbortController();
      const given = command('open', { signal: abort.signal });
      const queued = command('open', { signal: abort.signal });
      abort.abort(new Error('another vehicle stands there'));
      expect([await given, await queued]).toEqual([failed(3), failed(3)]);
      expect(await command('open', { signal: abort.signal })).toEqual(failed(3));

      barrier.change({ in_range: true });
      expect(await move('open')).toEqual(DONE);
      expect(barrier.view().moves).toBe(1);
    });

    it('wait for the word of a product that answers late', async () => {
      barrier.change({ answer_delay_ms: 20_000 });
      const opening = command('open', { limitMs: 5_000 });
      await until('moving');
      await clock.advance(20_000);
      // Only a STATUS tells this time: the gateway has heard that the product moves, and waits as long as a movement may take.
      await expect.poll(() => north.watch.reports()[0]).toMatchObject({ device_id: BARRIER, autoclose_time: 10 });
      await clock.advance(20_000);
      expect(await opening).toEqual(DONE);
      expect(barrier.view()).toMatchObject({ state: 'opened', moves: 1 });
    });
  });
}
