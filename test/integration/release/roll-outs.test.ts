/** What people of an account see and steer of the releases that the operator of the service rolls out. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  findReleases,
  insertRelease,
  pauseRelease,
  setRing,
} from '../../../cloud/equipment/release/release-queries.js';
import { saveGatewayHealth } from '../../../cloud/equipment/gateway/gateway-health-queries.js';
import { CONFIG_SECTIONS } from '../../../shared/gateway-config.js';
import type { UpdateReport } from '../../../shared/releases.js';
import { GUARD_TOKEN, OWNER_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, RIVAL_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

const MACHINE = 'parking-gateway-arm64';
const NAMES = ['Apt', 'Failed', 'Fetching', 'Has it', 'New', 'Other', 'Waits'] as const;
type Name = (typeof NAMES)[number];

interface ShownRelease {
  id: number;
  version: string;
  percent: number;
  held_count: number;
  counts: { state: string; gateways_count: number }[];
}
type Shown = { gateway_id: number; state: string; is_paused: number; turn: number };

let world: RestWorld;
const ids = new Map<Name, number>();
const idOf = (name: Name) => ids.get(name) ?? 0;
let release = 0;

const REPORTS: Readonly<Record<Name, Partial<UpdateReport> | null>> = {
  Apt: { can_install: false, machine: null, installed: null, slot: null },
  Failed: { phase: 'failed', version: '1.2.0', error: 'the signature is not one of ours' },
  Fetching: { phase: 'fetching', version: '1.2.0', progress: 40 },
  'Has it': { installed: '1.2.0' },
  New: null,
  Other: { machine: 'parking-gateway-amd64' },
  Waits: {},
};

beforeAll(async () => {
  world = await startRestWorld();
  const { store, clock } = world.cloud;
  for (const [at, name] of NAMES.entries()) {
    const uuid = `0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d${10 + at}`;
    const { id } = await world.post<{ id: number }>('/v2/gateways', { name, lot_id: world.site.north, uuid });
    ids.set(name, id);
    await store.change(async (tx) => {
      // As if a device had claimed it.
      const claimed = { mqtt_password_hash: 'x', public_key: `key ${at}` };
      await tx.updateTable('gateways').set(claimed).where('id', '=', id).execute();
      const said = REPORTS[name];
      if (said === null) return;
      const update: UpdateReport = {
        can_install: true,
        machine: MACHINE,
        installed: '1.1.0',
        slot: 'A',
        phase: 'idle',
        version: null,
        progress: null,
        waits_for: null,
        error: null,
        ...said,
      };
      await saveGatewayHealth(tx, {
        gateway_id: id,
        now: clock.now(),
        health: {
          uptime_ms: 1,
          tokens_end_ms: null,
          queue: { depth: 0, oldest_ms: null },
          radio: { state: 'on', adapters: [], recoveries: { free: 0, rescan: 0, reset: 0, restart: 0, power: 0 } },
          clock: { is_ok: true, offset_ms: 0 },
          store: { bytes: 1, is_ok: true },
          update,
        },
      });
    });
  }
  release = await publish('1.2.0', null);
});
afterAll(() => world.cloud.close());

/** @param percent null: it is rolled out to nobody */
async function publish(version: string, percent: number | null, account_id: number | null = null): Promise<number> {
  const { store, clock } = world.cloud;
  return store.change(async (tx) => {
    const bundle = {
      machine: MACHINE,
      version,
      bytes: 5,
      sha256: version.replaceAll('.', '').padEnd(64, '0'),
      security_floor: null,
    };
    const id = await insertRelease(tx, { ...bundle, notes: 'Faster', is_signature_checked: 1, now: clock.now() });
    if (percent !== null) await setRing(tx, { release_id: id, account_id, percent });
    return id;
  });
}

const ring = (percent: number) =>
  world.cloud.store.change((tx) => setRing(tx, { release_id: release, account_id: null, percent }));
const shownRelease = async (id: number) =>
  (await world.get<ShownRelease[]>('/v2/releases')).find((each) => each.id === id);
const statesOf = async (id: number) =>
  Object.fromEntries(
    (await world.get<Shown[]>(`/v2/releases/${id}/gateways`)).map(({ gateway_id, state }) => [
      NAMES.find((name) => idOf(name) === gateway_id) ?? gateway_id,
      state,
    ]),
  );
const configured = async (name: Name) => {
  const messages = await world.cloud.gatewayParts.publisher.snapshots(idOf(name));
  return CONFIG_SECTIONS.gateway.parse(messages.find(({ section }) => section === 'gateway')?.upsert.self).updates;
};

it('shows a release that nobody has yet, and who would get it first', async () => {
  expect(await shownRelease(release)).toMatchObject({ version: '1.2.0', notes: 'Faster', percent: 0, is_paused: 0 });
  expect((await statesOf(release)).Waits).toBe('outside');
  const rows = await world.get<Shown[]>(`/v2/releases/${release}/gateways`);
  const waits = rows.find(({ gateway_id }) => gateway_id === idOf('Waits'));
  if (waits === undefined) throw new Error('there is no row of it');
  await ring(waits.turn);
  expect((await statesOf(release)).Waits).toBe('waiting');
  if (waits.turn === 1) return;
  await ring(waits.turn - 1);
  expect((await statesOf(release)).Waits).toBe('outside');
});

it('says of each gateway how far it is, and of those that it is not meant for nothing', async () => {
  await ring(100);
  expect(await statesOf(release)).toEqual({
    Apt: 'updated_by_apt',
    Failed: 'failed',
    Fetching: 'fetching',
    'Has it': 'installed',
    New: 'never_reported',
    Waits: 'waiting',
  });
  const { counts, percent } = (await shownRelease(release)) ?? {};
  expect(percent).toBe(100);
  expect(counts).toContainEqual({ state: 'waiting', gateways_count: 1 });
  expect(counts?.reduce((sum, { gateways_count }) => sum + gateways_count, 0)).toBe(6);
  const rows = await world.get<Shown[]>(`/v2/releases/${release}/gateways`);
  expect(rows.find(({ gateway_id }) => gateway_id === idOf('Fetching'))).toMatchObject({
    progress: 40,
    installed: '1.1.0',
  });
});

it('is held back for all that have it not, and goes on', async () => {
  const held = await world.post<{ gateway_ids: number[] }>(`/v2/releases/${release}/pause`, {});
  const meant = (['Failed', 'Fetching', 'Waits'] as const).map(idOf);
  expect(held.gateway_ids.toSorted()).toEqual(meant.toSorted());
  expect((await shownRelease(release))?.held_count).toBe(3);
  expect((await statesOf(release)).Waits).toBe('held');
  expect(await configured('Waits')).toMatchObject({ is_paused: true });
  expect(await configured('Has it')).toMatchObject({ is_paused: false });
  expect(await world.post(`/v2/releases/${release}/pause`, {})).toEqual({ gateway_ids: [] });
  const entries = await world.get<{ action: string; target: string }[]>('/v2/audit-log?filter=action:like:release.');
  expect(entries[0]).toMatchObject({ action: 'release.pause', target: `release ${release}` });
  const resumed = await world.post<{ gateway_ids: number[] }>(`/v2/releases/${release}/resume`, {});
  expect(resumed.gateway_ids.toSorted()).toEqual(meant.toSorted());
  expect(await configured('Waits')).toMatchObject({ is_paused: false });
});

it('says that a newer one takes its place, and that the operator paused it', async () => {
  const newer = await publish('1.3.0', 100);
  expect((await statesOf(release)).Waits).toBe('superseded');
  expect((await statesOf(newer)).Waits).toBe('waiting');
  await world.cloud.store.change((tx) => pauseRelease(tx, { id: newer, is_paused: 1, now: 2 }));
  expect((await statesOf(newer)).Waits).toBe('paused');
  expect((await statesOf(release)).Waits).toBe('waiting');
});

it('is for Super Admins, of releases that concern their account', async () => {
  const { account_id } = await world.cloud.store.reader
    .selectFrom('gateways')
    .select('account_id')
    .where('id', '=', idOf('Waits'))
    .executeTakeFirstOrThrow();
  const own = await publish('2.0.0', 50, account_id);
  const asked = async (method: string, path: string, token: string) =>
    (await world.cloud.ask(method, path, { token, ...(method === 'POST' ? { json: {} } : {}) })).status;
  for (const token of [GUARD_TOKEN, ADMIN_TOKEN]) {
    expect(await asked('GET', '/v2/releases', token)).toBe(403);
    expect(await asked('POST', `/v2/releases/${release}/pause`, token)).toBe(403);
  }
  expect(await asked('GET', `/v2/releases/${own}/gateways`, OWNER_TOKEN)).toBe(200);
  expect(await asked('GET', `/v2/releases/${own}/gateways`, RIVAL_TOKEN)).toBe(404);
  expect(await asked('POST', `/v2/releases/${own}/pause`, RIVAL_TOKEN)).toBe(404);
  expect(await world.get(`/v2/releases/${release}/gateways`, RIVAL_TOKEN)).toEqual([]);
  expect((await findReleases(world.cloud.store.reader)).length).toBe(3);
  expect((await world.get<unknown[]>('/v2/releases', RIVAL_TOKEN)).length).toBe(2);
});
