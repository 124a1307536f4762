/** Zones, tariffs and sessions on the two accounts of `http-site.ts`. */
import type { Db } from '../../../cloud/kernel/store/cloud-store.js';
import { insertRow } from '../../../cloud/kernel/store/row-queries.js';
import { keepTariffVersion } from '../../../cloud/traffic/tariff/tariff-version-queries.js';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import type { CloudWorld } from '../http/http-world.js';
import { type Site, seedSite } from '../http/http-site.js';

export interface SessionSite extends Site {
  zone: number;
  southZone: number;
  rivalZone: number;
  /** Without a tariff. */
  freeZone: number;
  /** EUR 1.50 an hour after 10 minutes, at most 12 a day; of `zone`. */
  tariff: number;
  /** JPY, of `southZone`. */
  yen: number;
}

const times = { created_at: Date.UTC(2026, 0, 1), updated_at: Date.UTC(2026, 0, 1) };

export async function seedSessionSite(world: Pick<CloudWorld, 'store'>): Promise<SessionSite> {
  const site = await seedSite(world.store);
  return world.store.change(async (tx) => {
    const zoneOf = (account_id: number, lot_id: number) =>
      insertZone(tx, { account_id, lot_id, name: 'Level 0', description: '', spot_count: 0, occupancy_max_hours: 72 });
    const zone = await zoneOf(site.harbour, site.north);
    const freeZone = await zoneOf(site.harbour, site.north);
    const southZone = await zoneOf(site.harbour, site.south);
    const rivalZone = await zoneOf(site.rival, site.rivalLot);
    const tariff = await insertTariff(tx, tariffRow({ account_id: site.harbour }));
    const yen = await insertTariff(tx, tariffRow({ account_id: site.harbour, currency: 'JPY' }));
    await tx
      .insertInto('zone_tariffs')
      .values([
        { zone_id: zone, tariff_id: tariff, position: 0 },
        { zone_id: southZone, tariff_id: yen, position: 0 },
      ])
      .execute();
    return { ...site, zone, southZone, rivalZone, freeZone, tariff, yen };
  });
}

async function insertZone(tx: Db, row: Omit<NewRow<'zones'>, keyof typeof times>): Promise<number> {
  const { id } = await tx
    .insertInto('zones')
    .values({ ...row, ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function insertTariff(tx: Db, row: NewRow<'tariffs'>): Promise<number> {
  const id = await insertRow(tx, 'tariffs', row);
  await keepTariffVersion(tx, id);
  const version = await tx
    .selectFrom('tariff_versions')
    .select(['id as tariff_version_id', 'currency'])
    .where('tariff_id', '=', id)
    .executeTakeFirstOrThrow();
  firstVersions.set(id, version);
  return id;
}

/** By tariff: its first version, as sessions have it. */
const firstVersions = new Map<number, { tariff_version_id: number; currency: string }>();

export function tariffRow(changed: Partial<NewRow<'tariffs'>> & { account_id: number }): NewRow<'tariffs'> {
  return {
    name: 'Public',
    currency: 'EUR',
    vat: '25',
    free_minutes: 10,
    price_minor: 150,
    step_minutes: 60,
    daily_max_minor: 1_200,
    windows: '[]',
    ...times,
    ...changed,
  };
}

let made = 0;

/** An open session of a camera in `zone` that began an hour ago; `changed` says what is different. */
export function sessionRow(
  site: SessionSite,
  changed: Partial<NewRow<'sessions'>> & { created_at: number },
): NewRow<'sessions'> {
  made += 1;
  const tariff_id = changed.tariff_id === undefined ? site.tariff : changed.tariff_id;
  return {
    uid: `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`,
    public_id: `S${String(made).padStart(9, '0')}`,
    account_id: site.harbour,
    lot_id: site.north,
    zone_id: site.zone,
    tariff_id,
    ...(tariff_id === null ? {} : firstVersions.get(tariff_id)),
    plate_normalised: `ZG${made}`,
    entry_reading_id: null,
    exit_reading_id: null,
    entry_type: 'lpr_camera',
    entry_source_id: 7,
    exit_type: null,
    exit_source_id: null,
    ended_at: null,
    ended_by_look_alike: 0,
    discount_time: null,
    amount_paid_minor: 0,
    possibly_exited: null,
    updated_at: changed.created_at,
    ...changed,
  };
}

/** The columns of a session that a camera ended. */
export const endedAt = (ended_at: number) => ({
  ended_at,
  exit_type: 'lpr_camera' as const,
  exit_source_id: 8,
  possibly_exited: 1,
});
