/** Reads what the access decision depends on, as it was at a time, as far as the cloud knows it. */
import type { ExpressionBuilder } from 'kysely';
import { TRIES_AGAIN_MS } from '../../../shared/access/decide-access.js';
import type { Database, Db, Row } from '../../kernel/store/entry.js';
import { memberIsIn } from '../../guests/entry.js';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.js';

export type AdmittingCamera = Pick<
  Row<'lpr_cameras'>,
  'id' | 'account_id' | 'zone_id' | 'gateway_id' | 'product_id' | 'lpr_position' | 'plate_side' | 'debounce_time'
> &
  Pick<Row<'zones'>, 'lot_id' | 'spot_count' | 'occupancy_max_hours'> &
  Pick<Row<'lots'>, 'offline_exit'>;

/** Finds a camera of a lot, with its zone. */
export async function findAdmittingCamera(
  db: Db,
  { id, lot_id }: { id: number; lot_id: number },
): Promise<AdmittingCamera | null> {
  const row = await db
    .selectFrom('lpr_cameras')
    .innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id')
    .innerJoin('lots', 'lots.id', 'zones.lot_id')
    .select(['lpr_cameras.id', 'lpr_cameras.account_id', 'lpr_cameras.zone_id', 'lpr_cameras.product_id'])
    .select([
      'lpr_cameras.gateway_id',
      'lpr_cameras.lpr_position',
      'lpr_cameras.plate_side',
      'lpr_cameras.debounce_time',
    ])
    .select(['zones.lot_id', 'zones.spot_count', 'zones.occupancy_max_hours', 'lots.offline_exit'])
    .where('lpr_cameras.id', '=', id)
    .where('zones.lot_id', '=', lot_id)
    .executeTakeFirst();
  return row ?? null;
}

export async function hasTariff(db: Db, zone_id: number): Promise<boolean> {
  const row = await db.selectFrom('zone_tariffs').select('tariff_id').where('zone_id', '=', zone_id).executeTakeFirst();
  return row !== undefined;
}

/** Whether a normalised plate is whitelisted for a camera at a time: a member's, bound to its product, or of a key. */
export async function isWhitelisted(
  db: Db,
  { camera, plate, at }: { camera: AdmittingCamera; plate: string; at: number },
): Promise<boolean> {
  const member = await db
    .selectFrom('member_plates')
    .innerJoin('members', 'members.id', 'member_plates.member_id')
    .innerJoin('group_members', 'group_members.member_id', 'members.id')
    .innerJoin('group_zones', 'group_zones.group_id', 'group_members.group_id')
    .select('members.id')
    .where('member_plates.account_id', '=', camera.account_id)
    .where('member_plates.plate_normalised', '=', plate)
    .where('group_zones.zone_id', '=', camera.zone_id)
    .where(memberIsIn(at))
    .executeTakeFirst();
  if (member !== undefined) return true;
  if (camera.product_id === null) return false;
  const bound = await db
    .selectFrom('bound_licenses')
    .select('id')
    .where('product_id', '=', camera.product_id)
    .where('plate_normalised', '=', plate)
    .executeTakeFirst();
  if (bound !== undefined) return true;
  const key = await db
    .selectFrom('key_logs')
    .innerJoin('operation_tokens', 'operation_tokens.id', 'key_logs.operation_token_id')
    .select('key_logs.id')
    .where('key_logs.product_id', '=', camera.product_id)
    .where('key_logs.plate_normalised', '=', plate)
    .where('key_logs.deleted_at', 'is', null)
    .where('operation_tokens.status', '=', 'active')
    .where('operation_tokens.start_time', '<=', at)
    .where((eb) => eb.or([eb('operation_tokens.end_time', 'is', null), eb('operation_tokens.end_time', '>', at)]))
    .executeTakeFirst();
  return key !== undefined;
}

export type LotSession = Pick<Row<'sessions'>, 'uid' | 'plate_normalised' | 'created_at'>;

/** Selects the sessions of a lot that were open at a time. */
const openAt = (db: Db, { lot_id, at }: { lot_id: number; at: number }) =>
  db
    .selectFrom('sessions')
    .where('lot_id', '=', lot_id)
    .where('created_at', '<=', at)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', at)]));

/** Finds the newest session of a plate that was open at a time. */
export async function ownSessionAt(
  db: Db,
  { plate, ...lot }: { lot_id: number; at: number; plate: string },
): Promise<LotSession | null> {
  const row = await openAt(db, lot)
    .select(['uid', 'plate_normalised', 'created_at'])
    .where('plate_normalised', '=', plate)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  return row ?? null;
}

/** Lists the sessions that were open at a time, for look-alikes. */
export const sessionsAt = (db: Db, lot: { lot_id: number; at: number }): Promise<LotSession[]> =>
  openAt(db, lot).select(['uid', 'plate_normalised', 'created_at']).where('plate_normalised', '!=', '').execute();

/** Whether a look-alike had ended the plate's own session within a day before a time. */
export async function endedByLookAlike(
  db: Db,
  { lot_id, plate, at }: { lot_id: number; plate: string; at: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('lot_id', '=', lot_id)
    .where('plate_normalised', '=', plate)
    .where('ended_by_look_alike', '=', 1)
    .where('ended_at', '>=', at - DAY_MS)
    .where('ended_at', '<=', at)
    .executeTakeFirst();
  return row !== undefined;
}

/** Counts the sessions of a zone that were open at a time and not too old to count. */
export async function occupiedAt(
  db: Db,
  { lot_id, zone_id, occupancy_max_hours, at }: AdmittingCamera & { at: number },
): Promise<number> {
  const row = await openAt(db, { lot_id, at })
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('zone_id', '=', zone_id)
    .where('created_at', '>', at - occupancy_max_hours * HOUR_MS)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Whether a person had let a vehicle of this plate out a moment before a time, at the gateway of a camera. */
export async function wasLetOut(
  db: Db,
  { camera, plate, at }: { camera: AdmittingCamera; plate: string; at: number },
): Promise<boolean> {
  const { lot_id, gateway_id } = camera;
  const row = await db
    .selectFrom('plate_readings')
    .select('id')
    .where('lot_id', '=', lot_id)
    .where('plate_normalised', '=', plate)
    // For so long a gateway remembers a read.
    .where('created_at', '>', at - DAY_MS)
    .where('created_at', '<=', at)
    .where('direction', '=', 'out')
    .where(notDebounced)
    .where('handled_how', '=', 'let_in')
    .where('handled_at', '>', at - TRIES_AGAIN_MS)
    .where('handled_at', '<=', at)
    .$if(gateway_id !== null, (query) => query.where('gateway_id', '=', gateway_id))
    .executeTakeFirst();
  return row !== undefined;
}

const notDebounced = (eb: ExpressionBuilder<Database, 'plate_readings'>) =>
  eb.or([eb('access_decision_reason', 'is', null), eb('access_decision_reason', '!=', 'debounce')]);

/**
 * Finds the last reading of a plate before a time, at a camera of the same product, that was not itself debounced. One whose vehicle a person
 * had let out by then is repeated by none.
 */
export async function previousReading(
  db: Db,
  wanted: { camera: AdmittingCamera; plate: string; from: number; until: number },
): Promise<Pick<Row<'plate_readings'>, 'created_at' | 'direction' | 'access_decision' | 'opening_outcome'> | null> {
  const { camera, plate, from, until } = wanted;
  const row = await db
    .selectFrom('plate_readings')
    .select(['created_at', 'direction', 'access_decision', 'opening_outcome'])
    .where('account_id', '=', camera.account_id)
    .where('plate_normalised', '=', plate)
    .where('direction', '!=', 'undefined')
    .where('created_at', '>', from)
    .where('created_at', '<=', until)
    .where(notDebounced)
    .where((eb) =>
      eb.or([
        eb('direction', '!=', 'out'),
        eb('handled_how', 'is', null),
        eb('handled_how', '!=', 'let_in'),
        eb('handled_at', '>', until),
      ]),
    )
    .where('lpr_camera_id', 'in', (eb) =>
      eb
        .selectFrom('lpr_cameras')
        .select('lpr_cameras.id')
        .where((each) =>
          camera.product_id === null
            ? each('lpr_cameras.id', '=', camera.id)
            : each('lpr_cameras.product_id', '=', camera.product_id),
        ),
    )
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  return row ?? null;
}
