/**
 * Ends the stay of a vehicle that a person let out at an exit which had refused it, as of the read. Whether the entry, the refusal or the letting
 * out is told first makes no difference: what is told last finds the others.
 */
import { unique } from '../../../shared/grouping.js';
import { foldPlate, looksAlike, matchExit } from '../../../shared/plate/match-plate.js';
import { type Db, LOCKS, type Row, type Tx } from '../../kernel/store/entry.js';
import { isExitWithoutStay } from '../reading/refused-exit-queries.js';
import { saveReadingSession } from '../reading/reading-queries.js';
import { endSession } from './session-change-queries.js';
import { journalChange } from './session-journal.js';
import { findOpenSessions, type PlateOfLot } from './session-queries.js';

type Exit = Pick<
  Row<'plate_readings'>,
  'id' | 'lot_id' | 'plate_normalised' | 'lpr_camera_id' | 'created_at' | 'time_estimated'
>;

/**
 * Ends the stay that a read fits whose vehicle was let out: the newest open one of its plate that had begun by then, else the only one whose
 * plate looks like it. A read that has a stay, or that opened by itself, ends none; and what a stay that has ended cost stays so.
 * @param of.id of the reading, which the caller knows to be let out
 * @returns the lot; null: no stay fits (yet), and nothing is changed
 */
export async function endStayOfLetOut(tx: Tx, { id, now }: { id: number; now: number }): Promise<number | null> {
  const named = await tx.selectFrom('plate_readings').select('lot_id').where('id', '=', id).executeTakeFirst();
  if (named === undefined) return null;
  await tx.lock(LOCKS.openSessions(named.lot_id));
  const exit = await exitsWithoutStay(tx).where('id', '=', id).executeTakeFirst();
  return exit !== undefined && (await endStayOf(tx, exit, now)) ? exit.lot_id : null;
}

/** How many reads that were let out are compared with stays of which the cloud heard after them. */
const COMPARED_MAX = 500;

/**
 * Ends stays of which the cloud hears, or whose plate it knows, only after their vehicles were let out. The caller has locked the open
 * sessions of their lots.
 * @param stays open ones
 * @returns the lots in which one ended
 */
export async function endByLetOuts(
  tx: Tx,
  stays: readonly (PlateOfLot & { created_at: number })[],
  now: number,
): Promise<number[]> {
  const named = stays.filter(({ plate_normalised }) => plate_normalised !== '');
  if (named.length === 0) return [];
  const exits = await exitsWithoutStay(tx)
    .where('lot_id', 'in', unique(named.map(({ lot_id }) => lot_id)))
    .where('handled_how', '=', 'let_in')
    .where('created_at', '>=', Math.min(...named.map(({ created_at }) => created_at)))
    .orderBy('created_at')
    .limit(COMPARED_MAX)
    .execute();
  const ended: number[] = [];
  for (const exit of exits) {
    const { lot_id, plate_normalised } = exit;
    const mayFit = named.some((stay) => stay.lot_id === lot_id && looksAlike(stay.plate_normalised, plate_normalised));
    if (mayFit && (await endStayOf(tx, exit, now))) ended.push(lot_id);
  }
  return ended;
}

const exitsWithoutStay = (db: Db) =>
  db
    .selectFrom('plate_readings')
    .select(['id', 'lot_id', 'plate_normalised', 'lpr_camera_id', 'created_at', 'time_estimated'])
    .where('plate_normalised', '!=', '')
    .where(isExitWithoutStay);

/** @returns whether one fits */
async function endStayOf(tx: Tx, exit: Exit, now: number): Promise<boolean> {
  if (exit.lpr_camera_id === null) return false;
  const left = await stayThatFits(tx, exit);
  if (left === null) return false;
  const { session, isLookAlike } = left;
  await endSession(tx, {
    id: session.id,
    ended_at: Math.max(exit.created_at, session.created_at),
    exit_type: 'lpr_camera',
    exit_source_id: exit.lpr_camera_id,
    exit_reading_id: exit.id,
    ended_by_look_alike: isLookAlike,
    possibly_exited: true,
    now,
  });
  await saveReadingSession(tx, { id: exit.id, session_id: session.id });
  await journalChange({ tx, now }, 'session_update', session.id);
  return true;
}

async function stayThatFits(
  db: Db,
  { lot_id, plate_normalised: plate, created_at, time_estimated }: Exit,
): Promise<{ session: Pick<Row<'sessions'>, 'id' | 'created_at'>; isLookAlike: boolean } | null> {
  const hadBegun = (session: { created_at: number }) => time_estimated === 1 || session.created_at <= created_at;
  const own = (await findOpenSessions(db, { lot_id, plates_normalised: [plate] })).filter(hadBegun);
  const newest = own.toSorted((a, b) => b.created_at - a.created_at || b.id - a.id)[0];
  if (newest !== undefined) return { session: newest, isLookAlike: false };
  const open = await db
    .selectFrom('sessions')
    .select(['id', 'plate_normalised', 'created_at'])
    .where('lot_id', '=', lot_id)
    .where('ended_at', 'is', null)
    .execute();
  const match = matchExit(
    plate,
    open.filter(hadBegun).map((session) => ({
      session,
      plate: session.plate_normalised,
      fold: foldPlate(session.plate_normalised),
      began_ms: session.created_at,
    })),
  );
  return match?.kind === 'look_alike' ? { session: match.session.session, isLookAlike: true } : null;
}
