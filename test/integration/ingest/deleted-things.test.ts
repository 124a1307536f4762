/**
 * Records of a gateway that was offline while its cameras, places, zones, parking gateways or lot were deleted, or while it was moved: they
 * are stored with the ids they name.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runApply } from '../../../cloud/doors/cli/apply.js';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import type { PlateReadRecord, RecordPayload } from '../../../shared/uplink.js';
import type { LinkSite } from '../gateway/link-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import {
  entryRead,
  exitRead,
  imagePayload,
  newOutboxEpoch,
  newUid,
  recordOf,
  refinementOf,
  sessionOf,
  sighting,
  wireBatch,
} from './gateway-records.js';
import { someOf } from '../../depth.js';
import { quickPasswords } from '../../world/quick-passwords.js';
import { onPostgres } from '../../world/postgres-databases.js';
import { recordIo } from '../../world/record-io.js';

const GATEWAY = gatewayUuidSchema.parse('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01');
const TOKEN = 'late-owner-token';

interface Things {
  zone: boolean;
  camera: boolean;
  place: boolean;
  /** The parking gateway. */
  guidance: boolean;
  /** The lot itself, with all of it. */
  north: boolean;
  /** Where the gateway is. */
  gatewayIn: 'North' | 'South';
}

/** A lot with one zone, camera, place and parking gateway, as far as they are still there; and a second lot, where nothing is. */
function siteText(things: Things): string {
  const isHere = things.gatewayIn === 'North';
  const reader = isHere ? { gateway: 'Pi' } : {};
  const camera = {
    device_id: 'cam-1',
    name: 'Entry',
    address: 'http://127.0.0.1:9001',
    driver: 'hikvision',
    ...reader,
  };
  const place = { name: 'A1', ...(things.guidance ? { parking_gateway: 'Guidance', sensor: '1' } : {}) };
  const zone = {
    name: 'Level 0',
    spot_count: 10,
    tariffs: ['Public'],
    lpr_cameras: things.camera ? [camera] : [],
    places: things.place ? [place] : [],
  };
  const register = { function: 3, base: 0, occupied: { mask: 1 } };
  const guidance = {
    name: 'Guidance',
    driver: 'modbus-tcp',
    address: '127.0.0.1:1502',
    unit: 1,
    ...reader,
    register,
  };
  const lot = {
    name: 'North',
    gateways: isHere ? [{ name: 'Pi', uuid: GATEWAY }] : [],
    zones: things.zone ? [zone] : [],
    parking_gateways: things.guidance ? [guidance] : [],
  };
  const south = { name: 'South', gateways: isHere ? [] : [{ name: 'Pi', uuid: GATEWAY }] };
  const account = {
    name: 'Late Parking',
    users: [{ email: 'owner@late.example', name: 'Olga', password: 'long pass phrase' }],
    tariffs: [{ name: 'Public', currency: 'EUR', price: 1.5 }],
    lots: things.north ? [lot, south] : [south],
  };
  // JSON is YAML.
  return JSON.stringify({ version: 1, accounts: [account] });
}

const ALL: Things = { zone: true, camera: true, place: true, guidance: true, north: true, gatewayIn: 'North' };

let cloud: CloudWorld;
let directory: string;
type Thing = 'zone' | 'camera' | 'place' | 'guidance';
let ids: Record<Thing, number> & { lot: number; south: number; gateway: number };
const PATHS: Record<Thing, string> = {
  zone: '/v2/zones',
  camera: '/v2/lpr-cameras',
  place: '/v2/parking-places',
  guidance: '/v2/parking-gateways',
};

async function apply(things: Things, prune = false): Promise<void> {
  const file = join(directory, 'site.yaml');
  writeFileSync(file, siteText(things));
  const config = { dataDir: directory, serverKey: null, baseUrl: cloud.base };
  const { io, err } = recordIo();
  const openStore = async () => ({ ...cloud.store, close: async () => {} });
  const code = await runApply(
    { file, prune, dryRun: false, config },
    { openStore, clock: cloud.clock, passwords: quickPasswords },
    io,
  );
  expect([code, err]).toEqual([0, []]);
}

async function listed(path: string): Promise<number[]> {
  const { status, body } = await cloud.ask('GET', path, { token: TOKEN });
  expect([path, status]).toEqual([path, 200]);
  return (body.data as { id: number }[]).map(({ id }) => id);
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'deleted-things-'));
  cloud = await startCloudWorld();
  await apply(ALL);
  await cloud.store.change(async (tx) => {
    const user = await tx.selectFrom('account_users').select('id').executeTakeFirstOrThrow();
    const token = {
      account_user_id: user.id,
      type: 'user',
      token_hash: hashToken(TOKEN),
      created_at: cloud.clock.now(),
      expires_at: Number.MAX_SAFE_INTEGER,
    };
    await tx.insertInto('user_tokens').values(token).execute();
  });
  const only = async (path: string) => (await listed(path))[0] ?? 0;
  ids = {
    zone: await only(PATHS.zone),
    camera: await only(PATHS.camera),
    place: await only(PATHS.place),
    guidance: await only(PATHS.guidance),
    lot: await only('/v2/lots?filter=name:eq:North'),
    south: await only('/v2/lots?filter=name:eq:South'),
    gateway: await only('/v2/gateways'),
  };
});
afterEach(async () => {
  await cloud.close();
  rmSync(directory, { recursive: true });
});

const DELETIONS: Record<string, (thing: Thing) => Promise<void>> = {
  'over REST': async (thing) => {
    const { status } = await cloud.ask('DELETE', `${PATHS[thing]}/${ids[thing]}`, { token: TOKEN });
    expect(status).toBe(200);
  },
  'by apply --prune': (thing) => apply({ ...ALL, [thing]: false }, true),
};

/** Sends them as the gateway does when it is online again. */
async function sendLate(
  payloads: RecordPayload[],
  uids: (string | undefined)[] = [],
  lane: 0 | 1 | 2 = 0,
): Promise<void> {
  const epoch = newOutboxEpoch();
  const records = payloads.map((payload, index) => {
    const uid = uids[index];
    return recordOf(index + 1, payload, uid === undefined ? {} : { uid: uid as ReturnType<typeof newUid> });
  });
  expect(await cloud.gatewayParts.ingest.apply(GATEWAY, wireBatch(epoch, lane, records))).toMatchObject({
    seq: records.length,
    gap: false,
  });
}

const deadLetters = () => cloud.store.reader.selectFrom('dead_letters').select('reason').execute();

/** A car that came and left while the gateway was offline, seen better on its way in, with a picture. */
async function sendLateVisit(): Promise<PlateReadRecord[]> {
  const site = { entryCamera: ids.camera, exitCamera: ids.camera, zone: ids.zone } as LinkSite;
  const image = newUid();
  const reading = newUid();
  const entry = entryRead(site, {
    reading: { images: [{ uid: image, role: 'full' }] },
    read: { opening: null },
  });
  const exit = exitRead(site, sessionOf(entry), { read: { opening: null } });
  const seen = {
    lpr_camera_id: ids.camera,
    zone_id: ids.zone,
    direction: 'in' as const,
    event_ms: entry.reading.event_ms,
  };
  await sendLate(
    [entry, refinementOf(reading, entry), exit, { kind: 'sighting', ...seen, images: [] }, imagePayload(reading)],
    [reading, undefined, undefined, undefined, image],
  );
  return [entry, exit];
}

/** A late visit is in the lists, with its session, of the things that are gone. */
async function expectLateVisitIsStored(): Promise<void> {
  const [entry] = await sendLateVisit();
  expect(await deadLetters()).toEqual([]);
  const named = { lot_id: ids.lot, zone_id: ids.zone, lpr_camera_id: ids.camera };
  const { reader } = cloud.store;
  const readings = await reader.selectFrom('plate_readings').selectAll().orderBy('id').execute();
  expect(readings).toMatchObject([
    { ...named, direction: 'in', refinement: 1 },
    { ...named, direction: 'out' },
  ]);
  const sessions = await reader.selectFrom('sessions').selectAll().execute();
  expect(sessions).toMatchObject([
    {
      uid: entry?.session?.session_uid,
      zone_id: ids.zone,
      tariff_id: expect.any(Number),
      ended_at: expect.any(Number),
      entry_source_id: ids.camera,
      exit_source_id: ids.camera,
      entry_reading_id: readings[0]?.id,
      exit_reading_id: readings[1]?.id,
    },
  ]);
  expect(await reader.selectFrom('sightings').select(['zone_id', 'lpr_camera_id']).execute()).toEqual([
    { zone_id: ids.zone, lpr_camera_id: ids.camera },
  ]);
  expect(await reader.selectFrom('images').select('arrived_at').execute()).toEqual([{ arrived_at: cloud.clock.now() }]);
  expect(await listed('/v2/plate-readings')).toHaveLength(2);
  expect(await listed(`/v2/sessions?filter=zone_id:eq:${ids.zone}`)).toHaveLength(1);
  expect(await listed('/v2/lot-entries')).toHaveLength(2);
}

/** A late change of the place that is gone is kept, and no event names it. */
async function expectLateChangeIsKept(): Promise<void> {
  const events = () => cloud.store.reader.selectFrom('events').select('id').execute();
  const before = await events();
  const change = placeChange('occupied');
  await sendLate([change]);
  expect(await deadLetters()).toEqual([]);
  const kept = cloud.store.reader.selectFrom('deleted_parking_places').selectAll();
  expect(await kept.execute()).toMatchObject([
    { id: ids.place, zone_id: ids.zone, name: 'A1', occupancy_status: 'occupied', changed_at: change.event_ms },
  ]);
  expect(await events()).toEqual(before);
}

// In the gate either way has some of the cases.
describe.each(someOf(Object.entries(DELETIONS), 2))('after a deletion %s', (_name, remove) => {
  it('stores late reads of a camera, which begin and end their session, and its device_id is free for a new one', async () => {
    await remove('camera');
    const camera = { device_id: 'cam-1', zone_id: ids.zone, name: 'New', driver: 'hikvision' };
    const { id } = await changeOver('POST', PATHS.camera, camera);
    expect(id).not.toBe(ids.camera);
    expect(await listed(PATHS.camera)).toEqual([id]);
    await expectLateVisitIsStored();
  });

  it("keeps a late change of a place's sensor, and no event names it", async () => {
    await remove('place');
    await expectLateChangeIsKept();
  });

  it('stores late reads of a zone and a late change of its place, and no list shows its content', async () => {
    await remove('zone');
    for (const [thing, path] of Object.entries(PATHS).filter(([name]) => name !== 'guidance')) {
      expect([path, await listed(path)]).toEqual([path, []]);
      const { status } = await cloud.ask('GET', `${path}/${ids[thing as Thing]}`, { token: TOKEN });
      expect([path, status]).toEqual([path, 404]);
    }
    const kept = await Promise.all(
      (['deleted_zones', 'deleted_lpr_cameras', 'deleted_parking_places'] as const).map((table) =>
        cloud.store.reader.selectFrom(table).select(['id', 'lot_id', 'deleted_at']).execute(),
      ),
    );
    const deleted = { lot_id: ids.lot, deleted_at: cloud.clock.now() };
    expect(kept.flat()).toEqual([ids.zone, ids.camera, ids.place].map((id) => ({ id, ...deleted })));
    await expectLateVisitIsStored();
    await expectLateChangeIsKept();
  });
});

const placeChange = (occupancy_status: 'free' | 'occupied') => ({
  kind: 'place_change' as const,
  parking_place_id: ids.place,
  event_ms: cloud.clock.now() - 5_000,
  occupancy_status,
});
const guidanceStatus = (): RecordPayload => ({
  kind: 'parking_gateway_status',
  parking_gateway_id: ids.guidance,
  status: 'online',
  event_ms: cloud.clock.now() - 5_000,
});

/** Every kind of record that a site's things have, and a picture that comes in a lane of its own. */
async function sendEverythingLate(): Promise<void> {
  await sendLate([placeChange('occupied'), guidanceStatus()]);
  await sendPicturesLate();
}

/** What cameras make. */
async function sendPicturesLate(): Promise<void> {
  await sendLateVisit();
  const [seen, image] = [newUid(), newUid()];
  const site = { entryCamera: ids.camera, zone: ids.zone } as LinkSite;
  await sendLate([{ ...sighting(site), images: [{ uid: image, role: 'full' }] } as RecordPayload], [seen], 1);
  await sendLate([imagePayload(seen)], [image], 2);
  expect(await cloud.images.read(image)).not.toBeNull();
}

/** All of it is stored in the lot in which it was read. */
async function expectEverythingIsOfNorth(): Promise<void> {
  expect(await deadLetters()).toEqual([]);
  const lotsOf = async (table: 'plate_readings' | 'sessions' | 'lot_entries' | 'sightings' | 'images') =>
    (await cloud.store.reader.selectFrom(table).select('lot_id').execute()).map(({ lot_id }) => lot_id);
  const counts = { plate_readings: 2, sessions: 1, lot_entries: 2, sightings: 2, images: 2 } as const;
  for (const [table, count] of Object.entries(counts)) {
    const expected = Array.from({ length: count }, () => ids.lot);
    expect([table, await lotsOf(table as keyof typeof counts)]).toEqual([table, expected]);
  }
  const { reader } = cloud.store;
  const session = await reader.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
  expect([session.tariff_id, session.ended_at]).toEqual([expect.any(Number), expect.any(Number)]);
  const arrived = await reader.selectFrom('images').select('arrived_at').execute();
  expect(arrived.every(({ arrived_at }) => arrived_at !== null)).toBe(true);
}

const changeOver = async (method: string, path: string, json?: object): Promise<{ id: number }> => {
  const asked = json === undefined ? { token: TOKEN } : { token: TOKEN, json };
  const { status, body } = await cloud.ask(method, path, asked);
  expect([path, status]).toEqual([path, 200]);
  return body.data as { id: number };
};

describe('a lot that is gone while its gateway is offline', () => {
  const WAYS: Record<string, () => Promise<unknown>> = {
    'deleted by apply --prune, its gateway in another one': () =>
      apply({ ...ALL, north: false, gatewayIn: 'South' }, true),
    'deleted over REST after its gateway was given to another one': async () => {
      await changeOver('PATCH', `/v2/gateways/${ids.gateway}`, { lot_id: ids.south });
      await changeOver('DELETE', `/v2/lots/${ids.lot}?confirm=North`);
    },
    'deleted over REST after its gateway was given to none': async () => {
      await changeOver('PATCH', `/v2/gateways/${ids.gateway}`, { lot_id: null });
      await changeOver('DELETE', `/v2/lots/${ids.lot}?confirm=North`);
    },
    'left by its gateway over REST': () => changeOver('PATCH', `/v2/gateways/${ids.gateway}`, { lot_id: ids.south }),
    'left by its gateway for none': () => changeOver('PATCH', `/v2/gateways/${ids.gateway}`, { lot_id: null }),
  };
  it.each(Object.entries(WAYS))('%s: what was read there is stored there', async (name, change) => {
    await change();
    const kept = await Promise.all(
      (['deleted_zones', 'deleted_lpr_cameras', 'deleted_parking_places', 'deleted_parking_gateways'] as const).map(
        (table) => cloud.store.reader.selectFrom(table).select('lot_id').execute(),
      ),
    );
    const left = name.startsWith('deleted') ? [{ lot_id: ids.lot }] : [];
    expect(kept).toEqual(kept.map(() => left));
    await sendEverythingLate();
    await expectEverythingIsOfNorth();
  });

  it('left by its gateway in the site file: what was read there is stored there', async () => {
    await apply({ ...ALL, gatewayIn: 'South' });
    await sendPicturesLate();
    await expectEverythingIsOfNorth();
  });

  it('takes a read that opened a product of it', async () => {
    const made = { device_id: 'a4c138000001', zone_id: ids.zone, name: 'Barrier', product_type_id: 1 };
    const { id } = await changeOver('POST', '/v2/products', { ...made, master_key: 'ab'.repeat(32) });
    await changeOver('PATCH', `/v2/gateways/${ids.gateway}`, { lot_id: ids.south });
    await changeOver('DELETE', `/v2/lots/${ids.lot}?confirm=North`);
    const site = { entryCamera: ids.camera, zone: ids.zone, barrier: id } as LinkSite;
    await sendLate([entryRead(site)]);
    expect(await deadLetters()).toEqual([]);
    expect(await cloud.store.reader.selectFrom('plate_readings').select('lot_id').execute()).toEqual([
      { lot_id: ids.lot },
    ]);
  });

  it('does not let its gateway write for a lot that it never was in', async () => {
    const west = await changeOver('POST', '/v2/lots', { name: 'West' });
    const zone = await changeOver('POST', PATHS.zone, { name: 'West 0', lot_id: west.id });
    const made = { device_id: 'cam-2', zone_id: zone.id, name: 'West', driver: 'hikvision' };
    const camera = await changeOver('POST', PATHS.camera, made);
    await changeOver('PATCH', `/v2/gateways/${ids.gateway}`, { lot_id: ids.south });
    const site = { entryCamera: camera.id, zone: zone.id } as LinkSite;
    await sendLate([entryRead(site, { read: { opening: null } })]);
    expect(await deadLetters()).toEqual([{ reason: `camera ${camera.id} is not of the gateway's lot` }]);
    const mixed = { entryCamera: ids.camera, zone: zone.id } as LinkSite;
    await sendLate([entryRead(mixed, { read: { opening: null } })]);
    expect(await deadLetters()).toHaveLength(2);
    expect(await cloud.store.reader.selectFrom('plate_readings').select('id').execute()).toEqual([]);
  });

  it('takes what is of it from among what is of the next one', async () => {
    const zone = await changeOver('POST', PATHS.zone, { name: 'South 0', lot_id: ids.south });
    const made = { device_id: 'cam-2', zone_id: zone.id, name: 'South', driver: 'hikvision' };
    const camera = await changeOver('POST', PATHS.camera, made);
    await changeOver('PATCH', `/v2/gateways/${ids.gateway}`, { lot_id: ids.south });
    const old = { entryCamera: ids.camera, exitCamera: ids.camera, zone: ids.zone } as LinkSite;
    const next = { entryCamera: camera.id, exitCamera: camera.id, zone: zone.id } as LinkSite;
    const plain = { read: { opening: null } };
    const [first, second] = [entryRead(old, plain), entryRead(next, plain)];
    const exits = [first, second].map((read, index) => exitRead(index === 0 ? old : next, sessionOf(read), plain));
    await sendLate([first, second, ...exits]);
    expect(await deadLetters()).toEqual([]);
    const sessions = cloud.store.reader.selectFrom('sessions').select(['lot_id', 'ended_at']).orderBy('id');
    expect(await sessions.execute()).toEqual(
      [ids.lot, ids.south].map((lot_id) => ({ lot_id, ended_at: expect.any(Number) })),
    );
  });
});

describe.each(someOf(Object.entries(DELETIONS), 2, 1))('after a deletion %s', (_name, remove) => {
  it('applies a late change of a place that a parking gateway watched, and its status changes nothing', async () => {
    await remove('guidance');
    expect(await listed(PATHS.guidance)).toEqual([]);
    await sendLate([guidanceStatus(), placeChange('occupied'), placeChange('free'), placeChange('occupied')]);
    expect(await deadLetters()).toEqual([]);
    const places = cloud.store.reader.selectFrom('parking_places').select(['id', 'occupancy_status']);
    expect(await places.execute()).toEqual([{ id: ids.place, occupancy_status: 'occupied' }]);
    const events = await cloud.store.reader.selectFrom('events').select('event').execute();
    const notified = events.map(({ event }) => event);
    expect(notified.filter((event) => event === 'parking_place_change')).toHaveLength(3);
    expect(notified).not.toContain('parking_gateway_state_change');
  });
});

const GATEWAY_GONE: Record<string, () => Promise<unknown>> = {
  'by apply --prune': () => apply({ ...ALL, north: false }, true),
  'over REST': () => changeOver('DELETE', `/v2/gateways/${ids.gateway}`),
  'with its lot': () => changeOver('DELETE', `/v2/lots/${ids.lot}?confirm=North`),
};
it.each(Object.entries(GATEWAY_GONE))(
  'cuts off a gateway that was deleted %s and still sends',
  async (_name, remove) => {
    await remove();
    expect(await listed('/v2/gateways')).toEqual([]);
    const late = recordOf(1, placeChange('occupied'));
    cloud.notified.length = 0;
    expect(await cloud.gatewayParts.ingest.apply(GATEWAY, wireBatch(newOutboxEpoch(), 0, [late]))).toBeNull();
    expect(cloud.notified).toEqual([{ disconnected: GATEWAY }]);
  },
);

it('leaves a place to the gateway that reads its sensor since', async () => {
  const { id } = await changeOver('POST', '/v2/gateways', { name: 'Pi 2', lot_id: ids.lot });
  await changeOver('DELETE', `${PATHS.guidance}/${ids.guidance}`);
  await cloud.store.change(async (tx) => {
    const deleted = await tx.selectFrom('deleted_parking_gateways').selectAll().executeTakeFirstOrThrow();
    const { deleted_at: _deleted, id: _id, ...row } = deleted;
    const watched = { ...row, gateway_id: id, driver: 'modbus-tcp', address: '127.0.0.1:1502', unit: 1 };
    const polled = { poll_ms: 1_000, heartbeat_s: 60, status: 'offline' as const };
    const made = await tx
      .insertInto('parking_gateways')
      .values({ ...watched, ...polled })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx.updateTable('parking_places').set({ parking_gateway_id: made.id, sensor: '1' }).execute();
  });
  await sendLate([placeChange('occupied')]);
  expect(await deadLetters()).toEqual([]);
  const places = cloud.store.reader.selectFrom('parking_places').select('occupancy_status');
  expect(await places.execute()).toEqual([{ occupancy_status: 'free' }]);
});

it("gives a member's late stay in a deleted zone the tariff of the group", async () => {
  const tariff = await changeOver('POST', '/v2/tariffs', { name: 'Members', currency: 'EUR', price: 0.5 });
  const member = await changeOver('POST', '/v2/members', { name: 'Mia', license_plate: 'ZG 1234-AB' });
  const of = { member_ids: [member.id], zone_ids: [ids.zone], tariff_ids: [tariff.id] };
  await changeOver('POST', '/v2/groups', { name: 'Members', ...of });
  await changeOver('DELETE', `${PATHS.zone}/${ids.zone}`);
  await sendLateVisit();
  expect(await deadLetters()).toEqual([]);
  expect(await cloud.store.reader.selectFrom('sessions').select('tariff_id').execute()).toEqual([
    { tariff_id: tariff.id },
  ]);
});

// The schema is the same in every database; this one says it shortly.
it.skipIf(onPostgres())('keeps them whatever takes them along: nothing but accounts, lots and zones does', async () => {
  const parents = await Promise.all(
    ['zones', 'parking_places', 'lpr_cameras', 'parking_gateways'].map(async (table) => {
      const keys = sql<{ parent: string }>`
        select distinct "table" as parent from pragma_foreign_key_list(${table}) where on_delete = 'CASCADE' order by 1
      `;
      return (await keys.execute(cloud.store.reader)).rows.map(({ parent }) => parent);
    }),
  );
  expect(parents).toEqual([
    ['accounts', 'lots'],
    ['accounts', 'lots', 'zones'],
    ['accounts', 'zones'],
    ['accounts', 'lots'],
  ]);
});
