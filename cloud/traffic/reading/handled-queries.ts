/** Notes who dealt with a vehicle that waited: a sighting, or a reading that was refused. */
import { DAY_MS } from '../../../shared/durations.js';
import type { Db, Tx } from '../../kernel/store/entry.js';
import type { ConfigChanged } from '../../rest/entry.js';
import { type HandledColumns, NOT_HANDLED } from './handled-payload.js';

/** The name of a person or device that dealt with it, and the time in wall milliseconds. */
export interface Handling {
  by: string;
  at: number;
}

type HandledTable = 'plate_readings' | 'sightings';
type Which = { table: HandledTable } & ({ id: number } | { uid: string; lot_id: number });

const columnsOf = ({ by, at }: Handling, how: NonNullable<HandledColumns['handled_how']>): HandledColumns => ({
  handled_at: at,
  handled_by: by,
  handled_how: how,
});

/** A reading says when it changed last; a sighting has no such time. */
const changed = (table: HandledTable, now: number) => (table === 'plate_readings' ? { updated_at: now } : {});

/**
 * Notes that a vehicle was let through. The first one who did that stays; one that was passed over before is let in from then on.
 * @param now wall milliseconds, for the reading's own change
 * @returns the lot; null when there is no such vehicle
 */
export async function noteLetIn(
  db: Db,
  which: Which,
  { now, ...handling }: Handling & { now: number },
): Promise<number | null> {
  const { table } = which;
  const named = db.selectFrom(table).select(['id', 'lot_id', 'handled_how']);
  const found = await ('id' in which
    ? named.where('id', '=', which.id)
    : named.where('uid', '=', which.uid).where('lot_id', '=', which.lot_id)
  ).executeTakeFirst();
  if (found === undefined) return null;
  if (found.handled_how !== 'let_in') {
    await db
      .updateTable(table)
      .set({ ...columnsOf(handling, 'let_in'), ...changed(table, now) })
      .where('id', '=', found.id)
      .execute();
  }
  return found.lot_id;
}

/** @returns null when there is no such vehicle in the lot */
export async function findVehicleId(
  db: Db,
  { table, uid, lot_id }: { table: HandledTable; uid: string | null; lot_id: number },
): Promise<number | null> {
  if (uid === null) return null;
  const named = db.selectFrom(table).select('id').where('uid', '=', uid).where('lot_id', '=', lot_id);
  return (await named.executeTakeFirst())?.id ?? null;
}

/** Passes a vehicle over that waits, or has one wait again (null). What was let in stays so: the vehicle is gone. */
export async function saveIgnored(
  db: Db,
  { table, id }: { table: HandledTable; id: number },
  { ignored, now }: { ignored: { by: string } | null; now: number },
): Promise<void> {
  const set: HandledColumns = ignored === null ? NOT_HANDLED : columnsOf({ by: ignored.by, at: now }, 'ignored');
  const named = db
    .updateTable(table)
    .set({ ...set, ...changed(table, now) })
    .where('id', '=', id);
  await (ignored === null
    ? named.where('handled_how', 'in', ['ignored', 'settled'])
    : named.where('handled_how', 'is', null)
  ).execute();
}

/** How long a refused exit is looked for by whoever ends a stay: as long as it is listed. */
const REFUSED_EXIT_MS = DAY_MS;

/**
 * Notes for refused exits that a person has ended their vehicle's stay: for those of the plate of the stay since it began, and for those of the
 * plate that the person named as the one at the exit, which the camera may have misread.
 * @param of.began wall milliseconds
 */
export async function settleRefusedExits(
  db: Db,
  of: { lot_id: number; plate_normalised: string; began: number; exit_plate_normalised: string },
  { by, at }: Handling,
): Promise<void> {
  await db
    .updateTable('plate_readings')
    .set({ ...columnsOf({ by, at }, 'settled'), updated_at: at })
    .where('lot_id', '=', of.lot_id)
    .where('plate_normalised', '!=', '')
    .where('created_at', '>=', at - REFUSED_EXIT_MS)
    .where((eb) =>
      eb.or([
        eb('plate_normalised', '=', of.exit_plate_normalised),
        eb.and([eb('plate_normalised', '=', of.plate_normalised), eb('created_at', '>=', of.began)]),
      ]),
    )
    .where('direction', '=', 'out')
    .where('access_decision', '=', 'denied')
    .where('handled_at', 'is', null)
    .execute();
}

/**
 * Notes that the correction of its plate has settled a refused exit. While its vehicle has an open stay under that plate, it has not: the stay
 * waits for its end, which settles the exit.
 * @returns whether it has
 */
export async function settleCorrectedExit(db: Db, { id }: { id: number }, { by, at }: Handling): Promise<boolean> {
  const settled = await db
    .updateTable('plate_readings')
    .set({ ...columnsOf({ by, at }, 'settled'), updated_at: at })
    .where('id', '=', id)
    .where('direction', '=', 'out')
    .where('access_decision', '=', 'denied')
    .where('handled_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('sessions')
            .select('sessions.id')
            .whereRef('sessions.lot_id', '=', 'plate_readings.lot_id')
            .whereRef('sessions.plate_normalised', '=', 'plate_readings.plate_normalised')
            .where('sessions.ended_at', 'is', null),
        ),
      ),
    )
    .returning('id')
    .executeTakeFirst();
  return settled !== undefined;
}

/** Keeps that a gateway let in a vehicle whose sighting has not come yet. */
export async function keepEarlyLetIn(
  db: Db,
  { uid, lot_id, by, at }: Handling & { uid: string; lot_id: number },
): Promise<void> {
  await db
    .insertInto('early_let_ins')
    .values({ uid, lot_id, handled_at: at, handled_by: by })
    .onConflict((conflict) => conflict.column('uid').doNothing())
    .execute();
}

/** Notes for sightings that have just come that they were let in before. @returns their lots */
export async function noteEarlyLetIns(db: Db, uids: readonly string[], now: number): Promise<number[]> {
  if (uids.length === 0) return [];
  const early = await db
    .deleteFrom('early_let_ins')
    .where('uid', 'in', [...uids])
    .returningAll()
    .execute();
  const lots: number[] = [];
  for (const { uid, lot_id, handled_by: by, handled_at: at } of early) {
    const lot = await noteLetIn(db, { table: 'sightings', uid, lot_id }, { by, at, now });
    if (lot !== null) lots.push(lot);
  }
  return lots;
}

/** Forgets those whose sighting never came. */
export async function pruneEarlyLetIns(db: Db, before: number): Promise<void> {
  await db.deleteFrom('early_let_ins').where('handled_at', '<', before).execute();
}

/** Has the gateways of a lot hear, after the commit, who was dealt with. */
export function markHandled(tx: Tx, lot_id: number, configChanged: ConfigChanged): void {
  tx.onCommit(() => configChanged({ lot_id }, ['handled']));
}

/** A vehicle that was dealt with, for the gateways of its lot. */
export interface HandledVehicle {
  uid: string;
  handled_at: number;
  handled_by: string;
  handled_how: NonNullable<HandledColumns['handled_how']>;
}

/** Lists the vehicles of a lot that came since and were dealt with. */
export async function handledVehicles(db: Db, of: { lot_id: number; since: number }): Promise<HandledVehicle[]> {
  const handledIn = (table: HandledTable) =>
    db
      .selectFrom(table)
      .select(['uid', 'handled_at', 'handled_by', 'handled_how'])
      .where('lot_id', '=', of.lot_id)
      .where('created_at', '>=', of.since)
      .where('handled_at', 'is not', null)
      // A reading that was made over REST has no uid, and no gateway knows it.
      .where('uid', 'is not', null)
      .$narrowType<HandledVehicle>()
      .execute();
  return [...(await handledIn('sightings')), ...(await handledIn('plate_readings'))];
}
