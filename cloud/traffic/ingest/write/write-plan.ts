/** Writes the plan of batches: its rows in the order in which they need each other's ids, and then its events. */
import { setImmediate as giveWay } from 'node:timers/promises';
import { addCameraCounts, deleteOpeningsOfReadings, insertOpenings } from '../../../equipment/entry.js';
import { type AlertedReading, mailAlerts } from '../../../guests/entry.js';
import { type Db, saveEach, type Tx } from '../../../kernel/store/entry.js';
import { insertImages, saveImagesArrived } from '../../image/image-queries.js';
import { insertLotEntries } from '../../lot-entry/lot-entry-queries.js';
import { insertPlateReadings } from '../../reading/reading-queries.js';
import { noteEarlyLetIns } from '../../reading/handled-queries.js';
import { insertSightings } from '../../reading/sighting-queries.js';
import { loadPricesAt } from '../../tariff/tariff-version-queries.js';
import { settlePrices } from '../../session/session-price-queries.js';
import { insertSessions } from '../../session/session-queries.js';
import {
  deleteEarlyRecords,
  insertDeadLetters,
  insertEarlyRecords,
  insertLost,
  rememberUids,
} from '../ingest-queries.js';
import { idOf, type KnownReading, type Numbered, type SessionState } from '../load/row-states.js';
import { type BatchPlan, markStale } from '../plan/batch-plan.js';

/** How many events are built before others have the thread. */
const EVENTS_AT_ONCE = 200;

export async function writePlan(tx: Tx, plan: BatchPlan, now: number): Promise<void> {
  await writeReadingsAndSessions(tx, plan);
  await writeLotEntries(tx, plan);
  await insertImages(tx, [...plan.images.values()]);
  await insertSightings(tx, plan.sightings);
  const letIn = await noteEarlyLetIns(
    tx,
    plan.sightings.map(({ uid }) => uid),
    now,
  );
  for (const lot_id of letIn) markStale(plan, lot_id, 'handled');
  await addCameraCounts(tx, [...plan.cameraCounts.values()]);
  await mailAlerts(tx, alertedReadings(plan), now);
  await saveImagesArrived(tx, { uids: plan.arrived, now });
  await writeOpenings(tx, plan, now);
  await deleteEarlyRecords(
    tx,
    plan.dueEarly.map((uid) => ({ uid })),
  );
  await insertEarlyRecords(tx, [...plan.early.values()].flat());
  await insertDeadLetters(tx, plan.deadLetters);
  await insertLost(tx, plan.lost);
  await rememberUids(
    tx,
    Array.from(plan.handled, ([uid, gateway_id]) => ({ uid, gateway_id, created_at: now })),
  );
  for (const [index, { owner, build }] of plan.events.entries()) {
    tx.journal({ ...owner, ...build() });
    if (index % EVENTS_AT_ONCE === EVENTS_AT_ONCE - 1) await giveWay();
  }
}

/** Of several outcomes of one reading the last one counts. */
async function writeOpenings(tx: Db, plan: BatchPlan, now: number): Promise<void> {
  const outcomes = new Map(plan.openings.map(({ reading, outcome }) => [idOf(reading), outcome]));
  await saveEach(
    tx,
    'plate_readings',
    Array.from(outcomes, ([id, outcome]) => ({ id, set: { ...outcome } })),
  );
  const openings = Array.from(plan.movements, ([reading, opening]) => ({
    ...opening,
    plate_reading_id: idOf(reading),
  }));
  await deleteOpeningsOfReadings(
    tx,
    openings.map(({ plate_reading_id }) => plate_reading_id),
  );
  await insertOpenings(tx, openings, now);
}

/** The readings whose plates are new. */
function alertedReadings(plan: BatchPlan): AlertedReading[] {
  const refined = Array.from(plan.refinedReadings.values(), ({ reading }) => reading);
  return [...plan.readings.values(), ...refined].map((reading) => ({
    ...reading.row,
    id: idOf(reading),
    image_uid: reading.images.full,
  }));
}

/** A new session and the reading of its entry name each other, so one of the two is filled in afterwards. */
async function writeReadingsAndSessions(tx: Db, plan: BatchPlan): Promise<void> {
  const readings = [...plan.readings.values()];
  const rows = readings.map(({ row, session }) => ({ ...row, session_id: session?.id ?? null }));
  number(readings, await insertPlateReadings(tx, rows));
  const withoutSession = readings.filter(({ session }) => session !== null && session.id === null);
  await loadPrices(tx, plan.newSessions);
  number(plan.newSessions, await insertSessions(tx, plan.newSessions.map(sessionRow)));
  const saved = [...withoutSession.map((reading) => ({ reading, session: reading.session })), ...plan.claimedReadings];
  await saveEach(
    tx,
    'plate_readings',
    saved.map(({ reading, session }) => ({
      id: idOf(reading),
      set: { session_id: session === null ? null : idOf(session) },
    })),
  );
  await saveEach(tx, 'plate_readings', Array.from(plan.refinedReadings.values(), refinedColumns));
  await saveEach(
    tx,
    'sessions',
    plan.endedSessions.map((session) => {
      const { ended_at, exit_type, exit_source_id, ended_by_look_alike, possibly_exited, updated_at } = session.row;
      const exit_reading_id = session.exit_reading === null ? null : idOf(session.exit_reading);
      const exit = { exit_type, exit_source_id, exit_reading_id, ended_by_look_alike, possibly_exited };
      return { id: idOf(session), set: { ended_at, ...exit, updated_at } };
    }),
  );
  const ended = [...plan.newSessions, ...plan.endedSessions].filter(({ row }) => row.ended_at !== null);
  await settlePrices(tx, ended.map(idOf));
}

/** A session may have begun long before the batch came: its tariff counts as it was then. */
async function loadPrices(tx: Db, sessions: readonly SessionState[]): Promise<void> {
  const wanted = sessions.flatMap(({ row: { tariff_id, created_at } }) =>
    tariff_id === null ? [] : [{ tariff_id, at: created_at }],
  );
  const pricesAt = await loadPricesAt(tx, wanted);
  for (const { row } of sessions) Object.assign(row, pricesAt(row.tariff_id, row.created_at));
}

function refinedColumns({ reading, session_id }: KnownReading) {
  const { plate, plate_normalised, raw_plate, confidence, direction, refinement, updated_at } = reading.row;
  const { access_decision, access_decision_reason, opening_event_id, decision_trace, decided_at } = reading.row;
  const seen = { plate, plate_normalised, raw_plate, confidence, direction, refinement };
  const session = { session_id: reading.session === null ? session_id : idOf(reading.session) };
  const trace = { decision_trace, decided_at };
  const decided = { access_decision, access_decision_reason, opening_event_id, ...trace, ...session };
  return { id: idOf(reading), set: { ...seen, ...decided, updated_at } };
}

function sessionRow({ row, entry_reading, exit_reading }: SessionState) {
  return {
    ...row,
    entry_reading_id: entry_reading === null ? null : idOf(entry_reading),
    exit_reading_id: exit_reading === null ? null : idOf(exit_reading),
  };
}

/** An exit may belong to an entry of the same batch, whose id is known only after the insert. */
async function writeLotEntries(tx: Db, plan: BatchPlan): Promise<void> {
  const rows = plan.lotEntries.map(({ row, reading, related }) => ({
    ...row,
    plate_reading_id: idOf(reading),
    related_lot_entry_id: related?.id ?? null,
  }));
  const unrelated = plan.lotEntries.filter(({ related }) => related !== null && related.id === null);
  number(plan.lotEntries, await insertLotEntries(tx, rows));
  await saveEach(
    tx,
    'lot_entries',
    unrelated.map((entry) => ({
      id: idOf(entry),
      set: { related_lot_entry_id: entry.related === null ? null : idOf(entry.related) },
    })),
  );
}

function number(things: readonly Numbered[], ids: readonly number[]): void {
  for (const [index, thing] of things.entries()) thing.id = ids[index] ?? null;
}
