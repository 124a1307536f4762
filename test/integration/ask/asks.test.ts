/** What the cloud keeps of asks and answers: no more than was asked, whatever a gateway sends. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NOT_SEEN_RECENTLY, TOO_MANY_REQUESTS } from '../../../shared/errors.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { MINUTE_MS } from '../../../shared/durations.js';
import { OWNER_TOKEN, RIVAL_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { productReportsOf } from '../../world/product-reports.js';

const UUID = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d01' as GatewayUuid;

interface Kept {
  asked_at: string;
  state: string;
  reason: string | null;
  answered_at: string | null;
  answer: { cameras: { lpr_camera_id: number | null; address: string }[] } | null;
}

let world: RestWorld;
let id: number;
let camera_id: number;
let reports: ReturnType<typeof productReportsOf>;
beforeAll(async () => {
  world = await startRestWorld();
  const { store, clock } = world.cloud;
  ({ id } = await world.post<{ id: number }>('/v2/gateways', { name: 'Pi', lot_id: world.site.north, uuid: UUID }));
  ({ id: camera_id } = await world.post<{ id: number }>('/v2/lpr-cameras', {
    name: 'Entry',
    device_id: 'cam-ask',
    driver: 'hikvision',
    address: 'http://admin:hidden@192.0.2.7:8080',
    push_key: 'first-key',
    zone_id: world.site.zone,
    gateway_id: id,
  }));
  reports = productReportsOf({ store, clock });
});
afterAll(async () => {
  await reports.close();
  await world.cloud.close();
});
beforeEach(async () => {
  await connect('online');
  world.cloud.clock.jumpWall(MINUTE_MS);
});

const connect = (status: 'online' | 'offline') =>
  world.cloud.store.change((tx) => tx.updateTable('gateways').set({ status }).where('id', '=', id).execute());
const path = () => `/v2/gateways/${id}/camera-search`;
const ask = (of = path(), json?: object) =>
  world.cloud.ask('POST', of, { token: OWNER_TOKEN, ...(json === undefined ? {} : { json }) });
const kept = (of = path()) => world.get<Kept>(of);
const found = (address: string, serial = '') => ({
  cameras: [{ address, vendor: 'Acme', model: 'X', serial, mac: '', driver: 'onvif', notes: '' }],
});
const rows = () =>
  world.cloud.store.reader.selectFrom('gateway_asks').selectAll().where('gateway_id', '=', id).execute();
/** Answers as the gateway does. */
const answer = (of: Partial<{ kind: string; subject_id: number; asked_ms: number; fault: string; answer: object }>) =>
  reports.handleReport(UUID, {
    products: [],
    answer: { kind: 'cameras', subject_id: 0, asked_ms: world.cloud.clock.now(), fault: null, answer: null, ...of },
  });

describe('an ask', () => {
  it('has its answer when the gateway has sent it', async () => {
    expect(await kept()).toBeNull();
    expect((await ask()).status).toBe(200);
    expect(await kept()).toMatchObject({ state: 'asked', reason: null, answered_at: null, answer: null });
    await answer({ answer: found('http://192.0.2.9') });
    expect(await kept()).toMatchObject({
      state: 'answered',
      answer: { cameras: [{ address: 'http://192.0.2.9', driver: 'onvif', lpr_camera_id: null }] },
    });
  });

  it('knows a camera of the lot again, by its host or by its serial number', async () => {
    await ask();
    await answer({ answer: found('http://192.0.2.7:8080') });
    expect((await kept()).answer?.cameras[0]?.lpr_camera_id).toBe(camera_id);
    world.cloud.clock.jumpWall(MINUTE_MS);
    await ask();
    await answer({ answer: found('http://192.0.2.99', 'CAM-ASK') });
    expect((await kept()).answer?.cameras[0]?.lpr_camera_id).toBe(camera_id);
  });

  it('says why the gateway has no answer', async () => {
    await ask();
    await answer({ fault: 'the network is down' });
    expect(await kept()).toMatchObject({ state: 'failed', reason: 'the network is down', answer: null });
  });

  it('is silent after a minute, and keeps the answer before it; a late one still counts', async () => {
    await ask();
    await answer({ answer: found('http://192.0.2.10') });
    world.cloud.clock.jumpWall(MINUTE_MS);
    await ask();
    const asked_ms = world.cloud.clock.now();
    world.cloud.clock.jumpWall(MINUTE_MS - 1);
    expect(await kept()).toMatchObject({ state: 'asked' });
    world.cloud.clock.jumpWall(1);
    const silent = await kept();
    expect(silent).toMatchObject({ state: 'silent', answer: { cameras: [{ address: 'http://192.0.2.10' }] } });
    expect(silent.reason).toContain('did not answer within a minute');
    await answer({ asked_ms, answer: found('http://192.0.2.11') });
    expect(await kept()).toMatchObject({ state: 'answered', answer: { cameras: [{ address: 'http://192.0.2.11' }] } });
  });

  it('is refused while the gateway is not connected, and of a thing without one', async () => {
    await connect('offline');
    const { status, body } = await ask();
    expect([status, body.errors?.[0]?.code]).toEqual([403, NOT_SEEN_RECENTLY]);
    await world.patch(`/v2/lpr-cameras/${camera_id}`, { gateway_id: null });
    const alone = await ask(`/v2/lpr-cameras/${camera_id}/probe`);
    expect([alone.status, alone.body.errors?.[0]?.message]).toEqual([403, expect.stringContaining('No gateway')]);
    expect(await kept(`/v2/lpr-cameras/${camera_id}/probe`)).toBeNull();
    await world.patch(`/v2/lpr-cameras/${camera_id}`, {
      gateway_id: id,
      push_key: 'a-key',
      address: 'http://192.0.2.7',
    });
  });

  it('is accepted of each thing once in ten seconds, or once the one before is answered', async () => {
    expect((await ask()).status).toBe(200);
    const again = await ask();
    expect([again.status, again.body.errors?.[0]?.code]).toEqual([429, TOO_MANY_REQUESTS]);
    expect((await ask(`/v2/gateways/${id}/product-search`)).status).toBe(200);
    world.cloud.clock.jumpWall(10_000);
    expect((await ask()).status).toBe(200);
    await answer({ asked_ms: world.cloud.clock.now(), answer: found('http://192.0.2.20') });
    world.cloud.clock.jumpWall(1);
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(429);
  });

  it('is not there for others', async () => {
    for (const method of ['GET', 'POST'] as const)
      expect((await world.cloud.ask(method, path(), { token: RIVAL_TOKEN })).status).toBe(404);
  });
});

describe('an answer', () => {
  it('counts once, and only where the gateway was asked', async () => {
    await ask();
    const asked_ms = world.cloud.clock.now();
    await answer({ asked_ms, answer: found('http://192.0.2.20') });
    const before = await rows();
    for (let flood = 0; flood < 200; flood += 1) {
      await answer({ asked_ms, answer: found(`http://192.0.2.${flood}`) });
      await answer({ asked_ms: asked_ms + flood + 1, answer: found('http://192.0.2.66') });
      await answer({ kind: 'probe', subject_id: flood, answer: { is_there: true, problem: null, hosts: [] } });
    }
    expect(await rows()).toEqual(before);
  });

  it.each([
    ['more cameras than fit', { answer: { cameras: Array.from({ length: 65 }, () => found('http://a').cameras[0]) } }],
    ['a text without an end', { answer: found(`http://${'a'.repeat(10_000)}`) }],
    ['an answer of another kind', { answer: { radio: 'on', products: [] } }],
    ['a reason without an end', { fault: 'x'.repeat(10_000) }],
  ])('is dropped when it has %s', async (_, lie) => {
    await ask();
    await answer(lie);
    expect(await kept()).toMatchObject({ state: 'asked' });
  });

  it('is kept for the 64 things that were asked about last', async () => {
    for (let subject_id = 1; subject_id <= 80; subject_id += 1) {
      const camera = await world.post<{ id: number }>('/v2/lpr-cameras', {
        name: `Camera ${subject_id}`,
        device_id: `cam-${subject_id}`,
        driver: 'hikvision',
        zone_id: world.site.zone,
        gateway_id: id,
      });
      world.cloud.clock.jumpWall(1);
      expect((await ask(`/v2/lpr-cameras/${camera.id}/probe`)).status).toBe(200);
    }
    expect(await rows()).toHaveLength(64);
  });
});

describe('the push address of a camera', () => {
  const show = () =>
    world.post<{ path: string; key: string; hosts: string[] }>(`/v2/lpr-cameras/${camera_id}/push-address`, {});

  it('is shown with its key, and where the camera reaches its gateway; each time is in the audit log', async () => {
    expect(await show()).toEqual({ path: '/lpr/hikvision/cam-ask/a-key', key: 'a-key', hosts: [] });
    await ask(`/v2/lpr-cameras/${camera_id}/probe`);
    const probed = { is_there: true, problem: null, hosts: ['192.0.2.1:8081'] };
    await answer({ kind: 'probe', subject_id: camera_id, answer: probed });
    expect((await show()).hosts).toEqual(['192.0.2.1:8081']);
    const log = await world.get<{ action: string; target: string }[]>(
      '/v2/audit-log?filter=action:eq:lpr_camera.push_address',
    );
    expect(log.map(({ target }) => target)).toEqual(Array(2).fill(`lpr camera ${camera_id}`));
    expect(JSON.stringify(log)).not.toContain('a-key');
  });

  it('is none for a camera that does not push', async () => {
    await world.patch(`/v2/lpr-cameras/${camera_id}`, { driver: 'onvif' });
    expect(await show()).toMatchObject({ path: null, key: null });
  });
});
