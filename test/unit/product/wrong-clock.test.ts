/** Products whose clock is wrong: what the gateway mends by itself, and what it asks its cloud for. */
import { describe, expect, it } from 'vitest';
import { encodeAdminRecord } from '../../../shared/product-protocol/admin-record.js';
import { productReportSchema } from '../../../shared/uplink-reports.js';
import { crypto, IDENTITY, KEYS, mint } from '../product-protocol/protocol-fixture.js';
import { MOVEMENT_MS } from './machine-product.js';
import { DONE, failed, startWorld } from './commander-world.js';
import { BARRIER } from './product-item.js';

type World = Awaited<ReturnType<typeof startWorld>>;

const DAY_S = 86_400;
/** As the cloud mints them: of a short life. */
function cloudCredentials({ clock }: World) {
  const nowS = Math.floor(clock.now() / 1_000);
  const window = { notBeforeS: nowS - 900, expiresS: nowS + 30 };
  return { command: mint(window), set_time: mint({ ...window, op: 'status', expiresS: nowS + 930 }) };
}

async function openForCloud(world: World) {
  const given = world.command({ credentials: cloudCredentials(world) });
  await world.clock.advance(MOVEMENT_MS + 100);
  return given.now;
}

const reported = ({ watch }: World) =>
  productReportSchema.parse(watch.reports().find(({ device_id }) => device_id === BARRIER)).wrong_clock;
const offS = ({ barrier, clock }: World) => {
  const { rtc } = barrier.state;
  return rtc === null
    ? null
    : rtc.timeS + Math.floor((clock.monotonic() - rtc.setMs) / 1_000) - Math.floor(clock.now() / 1_000);
};

describe('a wrong clock', () => {
  it.each([{ clockOffS: 600 }, { clockOffS: 899 }])(
    'is set by the gateway when it is $clockOffS s off',
    async (options) => {
      const world = await startWorld(options);
      expect(await openForCloud(world)).toEqual(DONE);
      expect([offS(world), reported(world)]).toEqual([0, undefined]);
    },
  );

  it.each([{ clockOffS: 2 * DAY_S }, { clockOffS: -2 * DAY_S }])(
    'is left alone when it is $clockOffS s off, and the cloud is told until its record puts it right',
    async (options) => {
      const world = await startWorld(options);
      let changes = 0;
      world.watch.onChange(() => (changes += 1));
      expect(await openForCloud(world)).toEqual(failed(1, true));
      expect([offS(world), changes > 0]).toEqual([options.clockOffS, true]);
      const notified = reported(world);
      expect(notified).toEqual({ off_s: options.clockOffS, nonce: expect.any(Number) });
      expect(world.logged.filter(({ off_s }) => off_s === options.clockOffS)).toHaveLength(1);

      // Again: it is told anew, and not logged once more.
      expect(await openForCloud(world)).toEqual(failed(1, true));
      expect(world.logged.filter(({ off_s }) => off_s === options.clockOffS)).toHaveLength(1);

      const action = {
        kind: 'clock',
        timeS: Math.floor(world.clock.now() / 1_000),
        nonce: notified?.nonce ?? 0,
      } as const;
      const bytes = encodeAdminRecord(crypto, {
        adminKey: KEYS.admin,
        identity: IDENTITY,
        record: { serial: 1, action },
      });
      const delivered = world.command({ command: { name: 'admin', record: bytes } });
      await world.clock.advance(100);
      expect([delivered.now, offS(world), reported(world)]).toEqual([DONE, 0, undefined]);
      expect(await openForCloud(world)).toEqual(DONE);
    },
  );

  it('is still told after another record of the cloud, which puts no clock right', async () => {
    const world = await startWorld({ clockOffS: 600 });
    await openForCloud(world);
    world.barrier.give({ type: 'rtcChanged', timeS: Math.floor(world.clock.now() / 1_000) + 2 * DAY_S });
    await openForCloud(world);
    const notified = reported(world);
    expect(notified).toMatchObject({ nonce: expect.any(Number) });
    const action = { kind: 'deny', id: 7, expiresS: 0xffffffff } as const;
    const record = encodeAdminRecord(crypto, {
      adminKey: KEYS.admin,
      identity: IDENTITY,
      record: { serial: 1, action },
    });
    world.command({ command: { name: 'admin', record } });
    await world.clock.advance(100);
    expect(reported(world)).toMatchObject({ nonce: expect.any(Number) });
  });

  it('is told when the budget of the product is used up', async () => {
    const world = await startWorld({ clockOffS: 800 });
    expect(await openForCloud(world)).toEqual(DONE);
    world.barrier.give({ type: 'rtcChanged', timeS: Math.floor(world.clock.now() / 1_000) + 800 });
    expect(await openForCloud(world)).toEqual(failed(1, true));
    expect(world.barrier.state.memory.clockMoves.movedS).toBe(900);
    expect(reported(world)).toEqual({ off_s: 700, nonce: expect.any(Number) });
  });

  it('is told when it lost a time that was ahead, and no set_time is wasted on it', async () => {
    const world = await startWorld({ clockOffS: 2 * DAY_S });
    world.barrier.give({ type: 'tick' });
    world.barrier.give({ type: 'rtcChanged', timeS: null });
    expect(await openForCloud(world)).toEqual(failed(9, true));
    expect(reported(world)).toEqual({ off_s: 2 * DAY_S, nonce: expect.any(Number) });
    expect(world.barrier.received).toEqual(['01', '02']);
  });

  it('is told without its exchange when that is too long ago', async () => {
    const world = await startWorld({ clockOffS: 2 * DAY_S });
    await openForCloud(world);
    await world.clock.advance(600_000);
    expect(reported(world)).toEqual({ off_s: 2 * DAY_S, nonce: null });
  });
});
