/** How a gateway is, and what it finds when it looks at itself: from its report to GET /v2/gateways/{id}/health and /doctor. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sumGatewayHealth } from '../../../cloud/equipment/gateway/gateway-health-queries.js';
import { StoreError } from '../../../cloud/kernel/store/cloud-store.js';
import { createHeldMessages, type HeldMessagesOf } from '../../../cloud/doors/uplink/held-messages.js';
import { createUnhandledMessages } from '../../../cloud/doors/uplink/unhandled-messages.js';
import type { DoctorReport } from '../../../shared/doctor/report.js';
import { NOT_SEEN_RECENTLY, TOO_MANY_REQUESTS } from '../../../shared/errors.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import type { GatewayHealthReport } from '../../../shared/uplink-reports.js';
import { HOSTILE_DOCTOR_REPORTS } from '../../attack/hostile-claims.js';
import { OWNER_TOKEN, RIVAL_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.js';
import { productReportsOf } from '../../world/product-reports.js';

const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d01' as GatewayUuid;

let world: RestWorld;
let id: number;
let reports: ReturnType<typeof productReportsOf>;
beforeAll(async () => {
  world = await startRestWorld();
  const { store, clock } = world.cloud;
  ({ id } = await world.post<{ id: number }>('/v2/gateways', { name: 'Pi', lot_id: world.site.north, uuid: UUID }));
  reports = productReportsOf({ store, clock });
});
afterAll(async () => {
  await reports.close();
  await world.cloud.close();
});

describe('the health of a gateway', () => {
  const path = () => `/v2/gateways/${id}/health`;
  const health = (change: Partial<GatewayHealthReport> = {}): GatewayHealthReport => ({
    uptime_ms: 60_000,
    tokens_end_ms: world.cloud.clock.now() + 30.5 * DAY_MS,
    queue: { depth: 3, oldest_ms: world.cloud.clock.now() - 5_000 },
    radio: {
      state: 'on',
      adapters: [
        { name: 'hci0', state: 'on', links: 2 },
        { name: 'hci1', state: 'unavailable', links: 0 },
      ],
      recoveries: { free: 1, rescan: 2, reset: 1, restart: 0, power: 0 },
    },
    clock: { is_ok: true, offset_ms: -12 },
    store: { bytes: 4_096, is_ok: true },
    ...change,
  });
  const report = (own: unknown) => reports.handleReport(UUID, { products: [], health: own });

  it('is unknown until the gateway has said how it is', async () => {
    expect(await world.get(path())).toEqual({
      status: 'offline',
      alone_since: null,
      agent_version: null,
      started_at: null,
      token_days_left: null,
      queue: { depth: null, oldest_at: null, lost_count: 0, kept_aside_count: 0 },
      radio: { state: null, adapters: [], recoveries: { free: 0, rescan: 0, reset: 0, restart: 0, power: 0 } },
      clock: { is_ok: null, offset_ms: null },
      store: { bytes: null, is_ok: null },
      quota: { held_count: 0, held_at: null },
      unhandled: [],
      products_untold: [],
      unknown_timezones: [],
    });
  });

  it('is what it last said; its credentials go on ending while it is silent', async () => {
    const { clock, store } = world.cloud;
    const now = clock.now();
    await report(health());
    await store.change(async (tx) => {
      await tx.updateTable('gateways').set({ status: 'online' }).where('id', '=', id).execute();
      const lost = { gateway_id: id, epoch: '0'.repeat(32), lane: 1, created_at: now };
      await tx
        .insertInto('lost_records')
        .values([
          { ...lost, from_seq: 3, to_seq: 7 },
          { ...lost, from_seq: 9, to_seq: 9 },
        ])
        .execute();
    });
    const { radio } = health();
    const shown = {
      status: 'online',
      alone_since: null,
      agent_version: null,
      started_at: new Date(now - 60_000).toISOString(),
      token_days_left: 30,
      queue: { depth: 3, oldest_at: new Date(now - 5_000).toISOString(), lost_count: 6, kept_aside_count: 0 },
      radio,
      clock: { is_ok: 1, offset_ms: -12 },
      store: { bytes: 4_096, is_ok: 1 },
      quota: { held_count: 0, held_at: null },
      unhandled: [],
      products_untold: [],
      unknown_timezones: [],
    };
    expect(await world.get(path())).toEqual(shown);

    clock.jumpWall(20 * DAY_MS);
    await store.change((tx) =>
      tx
        .updateTable('gateways')
        .set({ status: 'offline' })
        .where('id', '=', id)
        .execute()
        .then(() => {}),
    );
    expect(await world.get(path())).toEqual({
      ...shown,
      status: 'offline',
      alone_since: new Date(now).toISOString(),
      token_days_left: 10,
    });
    clock.jumpWall(20 * DAY_MS);
    expect(await world.get(path())).toMatchObject({ token_days_left: 0 });
  });

  it('tells of what is broken', async () => {
    await report(
      health({
        tokens_end_ms: null,
        queue: { depth: null, oldest_ms: null },
        clock: { is_ok: false, offset_ms: null },
        store: { bytes: 0, is_ok: false },
      }),
    );
    expect(await world.get(path())).toMatchObject({
      token_days_left: null,
      queue: { depth: null, oldest_at: null },
      clock: { is_ok: 0, offset_ms: null },
      store: { bytes: 0, is_ok: 0 },
    });
  });

  it('is counted among those that cannot record while its disk refuses', async () => {
    const { clock, store } = world.cloud;
    const failed = async () => (await sumGatewayHealth(store.reader, clock.now())).stores_failed;
    await report(health({ store: { bytes: 4_096, is_ok: false } }));
    expect(await failed()).toBe(1);
    await report(health());
    expect(await failed()).toBe(0);
  });

  it('tells how many of its messages waited, whichever processes counted them, once a minute at most', async () => {
    const { clock, store } = world.cloud;
    const shown = async () => (await world.get<{ quota: object }>(path())).quota;
    const changes: number[] = [];
    const change: typeof store.change = (work) => {
      changes.push(clock.now());
      return store.change(work);
    };
    const [one, other] = [1, 2].map(() => createHeldMessages({ store: { change }, clock, logger: silentLogger })) as [
      HeldMessagesOf,
      HeldMessagesOf,
    ];
    const began = clock.now();
    one.note(UUID);
    await clock.advance(0);
    await expect.poll(shown).toEqual({ held_count: 1, held_at: new Date(began).toISOString() });
    for (let second = 1; second < 60; second++) {
      await clock.advance(1_000);
      one.note(UUID);
      one.note('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7dff' as GatewayUuid);
    }
    expect(changes).toEqual([began]);
    await clock.advance(1_000);
    await expect.poll(shown).toEqual({ held_count: 60, held_at: new Date(began + 59_000).toISOString() });
    // What another process counted earlier does not move the time back, and a process that stops writes what it has.
    other.note(UUID);
    await other.close();
    one.note(UUID);
    await clock.advance(5_000);
    await one.close();
    expect(await shown()).toEqual({ held_count: 62, held_at: new Date(began + 60_000).toISOString() });
    expect(changes).toHaveLength(4);
  });

  it('keeps the count of held messages when it cannot be written, and writes it with the next', async () => {
    const { clock, store } = world.cloud;
    const before = (await world.get<{ quota: { held_count: number } }>(path())).quota.held_count;
    let isBroken = true;
    const change: typeof store.change = async (work) => {
      if (isBroken) throw new Error('the disk is full');
      return store.change(work);
    };
    const held = createHeldMessages({ store: { change }, clock, logger: silentLogger });
    held.note(UUID);
    await clock.advance(0);
    isBroken = false;
    held.note(UUID);
    await held.close();
    expect(await world.get(path())).toMatchObject({ quota: { held_count: before + 2 } });
  });

  it('names what could not be handled, until the like can be again, whichever process notes it', async () => {
    const { clock, store } = world.cloud;
    const lines: string[] = [];
    const logger = { ...silentLogger, error: (_: object, message: string) => void lines.push(message) };
    const shown = async () => (await world.get<{ unhandled: object[] }>(path())).unhandled;
    const one = createUnhandledMessages({ store, clock, logger });
    const unhandled_at = new Date(clock.now()).toISOString();
    await one.note(UUID, 'report', new StoreError('query', 'value out of range'));
    for (let repeat = 0; repeat < 20; repeat++) await one.note(UUID, 'hello', new Error('no such column'));
    await one.note(
      '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7dff' as GatewayUuid,
      'report',
      new Error('of a gateway that is gone'),
    );
    expect(await shown()).toEqual([
      { channel: 'hello', reason: 'no such column', unhandled_at },
      { channel: 'report', reason: 'value out of range', unhandled_at },
    ]);
    // What repeats itself is one line a minute of each gateway.
    expect(lines).toEqual(['message of a gateway was not handled', 'message of a gateway was not handled']);

    await one.handled(UUID, 'hello');
    expect(await shown()).toEqual([{ channel: 'report', reason: 'value out of range', unhandled_at }]);
    const other = createUnhandledMessages({ store, clock, logger });
    await other.handled(UUID, 'records');
    expect(await shown()).toHaveLength(1);
    await other.handled(UUID, 'report');
    expect(await shown()).toEqual([]);
  });

  it('names nothing while the database does not work: one line a minute says so of all gateways', async () => {
    const { clock, store } = world.cloud;
    const lines: string[] = [];
    const logger = { ...silentLogger, error: (_: object, message: string) => void lines.push(message) };
    const messages = createUnhandledMessages({ store, clock, logger });
    for (let index = 0; index < 50; index++) {
      const uuid = `0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d${String(index).padStart(2, '0')}` as GatewayUuid;
      await messages.note(uuid, 'report', new StoreError('io', 'the connection is gone'));
    }
    expect(lines).toEqual(['messages of gateways wait for the database']);
    await clock.advance(60_000);
    expect(lines).toEqual([
      'messages of gateways wait for the database',
      'messages of gateways wait for the database (more of these were left out)',
    ]);
    expect((await world.get<{ unhandled: object[] }>(path())).unhandled).toEqual([]);
  });

  it('is not there for others', async () => {
    expect(await world.refused('GET', path(), undefined, RIVAL_TOKEN)).toEqual([404, '6']);
    expect(await world.refused('GET', '/v2/gateways/999/health')).toEqual([404, '6']);
  });
});

const doctorPath = () => `/v2/gateways/${id}/doctor`;
const doctorReport = (version: string): DoctorReport => ({
  version,
  at_ms: world.cloud.clock.now(),
  took_ms: 1_200,
  is_running: true,
  findings: [{ id: 'dns.failed', level: 'failure', about: 'cloud.invalid', facts: { reason: 'ENOTFOUND' } }],
});
const handleReport = (doctor: unknown) => reports.handleReport(UUID, { products: [], doctor });
const kept = async () => (await world.get<{ agent_version?: string } | null>(doctorPath())) ?? null;

describe('the doctor report of a gateway', () => {
  it('is none until it has looked at itself, and then the last one', async () => {
    expect(await kept()).toBeNull();
    await handleReport(doctorReport('1.0.0'));
    const first = JSON.stringify(await kept());
    expect(first).toMatch(/dns\.failed.*"follows":null/);
    expect(first).toContain('1.0.0');
    await handleReport(doctorReport('1.0.1'));
    expect(JSON.stringify(await kept())).toContain('1.0.1');
  });

  it.each(Object.entries(HOSTILE_DOCTOR_REPORTS))(
    'is dropped when it claims %s, and the last one stays',
    async (_, lie) => {
      await handleReport(doctorReport('1.0.2'));
      const before = await kept();
      await handleReport(lie(doctorReport('6.6.6')));
      expect(await kept()).toEqual(before);
    },
  );
});

describe('the doctor report of another account', () => {
  it('is shown to nobody, and asked for by nobody', async () => {
    for (const method of ['GET', 'POST'] as const)
      expect((await world.cloud.ask(method, doctorPath(), { token: RIVAL_TOKEN })).status).toBe(404);
  });
});

describe('a gateway that is asked to look at itself', () => {
  const ask = () => world.cloud.ask('POST', doctorPath(), { token: OWNER_TOKEN });
  const connect = (status: 'online' | 'offline') =>
    world.cloud.store.change((tx) => tx.updateTable('gateways').set({ status }).where('id', '=', id).execute());

  it('must be connected, and is told what to do instead', async () => {
    await connect('offline');
    const { status, body } = await ask();
    expect([status, body.errors?.[0]]).toMatchObject([
      403,
      { code: NOT_SEEN_RECENTLY, message: expect.stringContaining('parking-agent doctor') },
    ]);
  });

  it('is asked once a minute', async () => {
    await connect('online');
    expect((await ask()).status).toBe(200);
    const again = await ask();
    expect([again.status, again.body.errors?.[0]?.code]).toEqual([429, TOO_MANY_REQUESTS]);
    world.cloud.clock.jumpWall(MINUTE_MS);
    expect((await ask()).status).toBe(200);
    await connect('offline');
  });
});
