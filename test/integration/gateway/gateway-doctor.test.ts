/** What a gateway finds when it looks at itself: from its report, or the question for one, to GET /v2/gateways/{id}/doctor. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DoctorReport } from '../../../shared/doctor/report.js';
import { NOT_SEEN_RECENTLY, TOO_MANY_REQUESTS } from '../../../shared/errors.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { HOSTILE_DOCTOR_REPORTS } from '../../attack/hostile-claims.js';
import { OWNER_TOKEN, RIVAL_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { productReportsOf } from '../../world/product-reports.js';

const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d02' as GatewayUuid;
const MINUTE_MS = 60_000;

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

const path = () => `/v2/gateways/${id}/doctor`;
const report = (version: string): DoctorReport => ({
  version,
  at_ms: world.cloud.clock.now(),
  took_ms: 1_200,
  is_running: true,
  findings: [{ id: 'dns.failed', level: 'failure', about: 'cloud.invalid', facts: { reason: 'ENOTFOUND' } }],
});
const handleReport = (doctor: unknown) => reports.handleReport(UUID, { products: [], doctor });
const kept = async () => (await world.get<{ agent_version?: string } | null>(path())) ?? null;

describe('the report of a gateway', () => {
  it('is none until it has looked at itself, and then the last one', async () => {
    expect(await kept()).toBeNull();
    await handleReport(report('1.0.0'));
    const first = JSON.stringify(await kept());
    expect(first).toContain('dns.failed');
    expect(first).toContain('1.0.0');
    await handleReport(report('1.0.1'));
    expect(JSON.stringify(await kept())).toContain('1.0.1');
  });

  it.each(Object.entries(HOSTILE_DOCTOR_REPORTS))(
    'that claims %s is dropped, and the last one stays',
    async (_, lie) => {
      await handleReport(report('1.0.2'));
      const before = await kept();
      await handleReport(lie(report('6.6.6')));
      expect(await kept()).toEqual(before);
    },
  );
});

describe('the report of another account', () => {
  it('is shown to nobody, and asked for by nobody', async () => {
    for (const method of ['GET', 'POST'] as const)
      expect((await world.cloud.ask(method, path(), { token: RIVAL_TOKEN })).status).toBe(404);
  });
});

describe('a gateway that is asked to look at itself', () => {
  const ask = () => world.cloud.ask('POST', path(), { token: OWNER_TOKEN });
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
