import { type Db, insertRow, type Row, type Tx } from '../../kernel/store/entry.js';
import type { Bundle } from './read-bundle.js';
import type { RingedRelease } from './decide-wanted-releases.js';

/** All releases with their rings, the newest first. There are RELEASES_MAX at most. */
export async function findReleases(db: Db): Promise<RingedRelease[]> {
  const releases = await db.selectFrom('releases').selectAll().orderBy('id', 'desc').execute();
  if (releases.length === 0) return [];
  const rings = await db.selectFrom('release_rings').selectAll().orderBy('id').execute();
  return releases.map((release) => ({
    ...release,
    rings: rings.filter(({ release_id }) => release_id === release.id),
  }));
}

export function findRelease(db: Db, id: number): Promise<Row<'releases'> | undefined> {
  return db.selectFrom('releases').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Adds a release that nobody shall have yet. @returns its id */
export function insertRelease(tx: Tx, release: Bundle & { is_signature_checked: 0 | 1; now: number }): Promise<number> {
  const { now, ...columns } = release;
  return insertRow(tx, 'releases', { ...columns, is_paused: 0, created_at: now, updated_at: now });
}

export async function deleteRelease(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('releases').where('id', '=', id).execute();
}

export async function pauseRelease(
  tx: Tx,
  { id, is_paused, now }: { id: number; is_paused: 0 | 1; now: number },
): Promise<void> {
  await tx.updateTable('releases').set({ is_paused, updated_at: now }).where('id', '=', id).execute();
}

/** Sets the part of an account's gateways, or of those of all accounts, that shall have the release; 0: none of them. */
export async function setRing(
  tx: Tx,
  { release_id, account_id, percent }: { release_id: number; account_id: number | null; percent: number },
): Promise<void> {
  await tx
    .deleteFrom('release_rings')
    .where('release_id', '=', release_id)
    .where('account_id', account_id === null ? 'is' : '=', account_id)
    .execute();
  if (percent > 0) await tx.insertInto('release_rings').values({ release_id, account_id, percent }).execute();
}

/** The wishes of people for the updates of a gateway. */
export interface GatewayUpdateWishes {
  is_paused: 0 | 1;
  asked_at: number | null;
}

const NOTHING_SAID: GatewayUpdateWishes = { is_paused: 0, asked_at: null };

export async function findUpdateWishes(db: Db, gateway_id: number): Promise<GatewayUpdateWishes> {
  const row = await db
    .selectFrom('gateway_updates')
    .select(['is_paused', 'asked_at'])
    .where('gateway_id', '=', gateway_id)
    .executeTakeFirst();
  return row ?? NOTHING_SAID;
}

/** Keeps what is said now, and leaves the rest as it is. */
export async function saveUpdateWishes(
  tx: Tx,
  gateway_id: number,
  said: Partial<GatewayUpdateWishes>,
): Promise<GatewayUpdateWishes> {
  const wishes = { ...(await findUpdateWishes(tx, gateway_id)), ...said };
  await tx
    .insertInto('gateway_updates')
    .values({ gateway_id, ...wishes })
    .onConflict((conflict) => conflict.column('gateway_id').doUpdateSet(wishes))
    .execute();
  return wishes;
}

/** A gateway, and what it last said about itself, for the list of how far a release is. */
export interface ReportingGateway
  extends Pick<Row<'gateways'>, 'id' | 'account_id' | 'lot_id' | 'name' | 'uuid' | 'status'> {
  account_name: string;
  health: Row<'gateway_health'>['health'] | null;
}

/** Lists the claimed gateways, a limited number after an id. */
export function findReportingGateways(
  db: Db,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<ReportingGateway[]> {
  return db
    .selectFrom('gateways')
    .innerJoin('accounts', 'accounts.id', 'gateways.account_id')
    .leftJoin('gateway_health', 'gateway_health.gateway_id', 'gateways.id')
    .select([
      'gateways.id',
      'gateways.account_id',
      'gateways.lot_id',
      'gateways.name',
      'gateways.uuid',
      'gateways.status',
      'accounts.name as account_name',
      'gateway_health.health',
    ])
    .where('gateways.mqtt_password_hash', 'is not', null)
    .where('gateways.id', '>', afterId)
    .orderBy('gateways.id')
    .limit(limit)
    .execute();
}

export async function findAccountsNamed(db: Db, name: string): Promise<number[]> {
  const rows = await db.selectFrom('accounts').select('id').where('name', '=', name).limit(2).execute();
  return rows.map(({ id }) => id);
}

/** When the gateways of a lot may exchange their software, as `02:00-05:00`; null: at any time. */
export async function findUpdateHours(db: Db, lot_id: number): Promise<string | null> {
  const row = await db.selectFrom('lots').select('update_hours').where('id', '=', lot_id).executeTakeFirst();
  return row?.update_hours ?? null;
}
