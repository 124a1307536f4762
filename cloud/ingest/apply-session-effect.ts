/** What a camera's read does to the sessions of its lot, when the cloud hears of it: perhaps days later, perhaps after others. */
import { SESSION_KEEP_MS } from '../../shared/access/decide-access.js';
import type { Uid } from '../../shared/ids.js';
import type { PlateReadRecord, SessionEffect } from '../../shared/uplink.js';
import type { ReadingImages } from '../lpr/reading-images-payload.js';
import { sessionEvent, type SessionView } from '../session/session-payload.js';
import type { EventPayload } from '../../shared/events/event-schemas.js';
import { findExitWithoutSession, saveReadingSession } from '../store/queries/plate-readings.js';
import {
  endSession,
  findEndedSessionAt,
  findNextSession,
  findSessionByUid,
  findTariffFor,
  insertSession,
  openSessionsOf,
  sessionView,
  type SessionRow,
} from '../store/queries/sessions.js';
import type { Row } from '../store/schema.js';
import { UnusableRecord, type RecordContext } from './record-context.js';

export type SessionChangeEvent =
  | { event: 'session_create'; payload: EventPayload<'session_create'> }
  | { event: 'session_update'; payload: EventPayload<'session_update'> };

export interface AppliedEffect {
  /** The session that the reading belongs to. */
  session_id: number | null;
  /** The entry of the session that the read ended. */
  entry_reading_id: number | null;
  changes: SessionChangeEvent[];
}

interface EffectOfRead {
  payload: PlateReadRecord;
  reading: Row<'plate_readings'>;
  images: ReadingImages;
}

/** Throws for a session of another lot, before anything is written. */
export async function checkSessionEffect(context: RecordContext, effect: SessionEffect | null): Promise<void> {
  if (effect === null) return;
  const ended = effect.effect === 'begin' ? effect.ended_session_uid : null;
  for (const uid of [effect.session_uid, ended]) {
    const session = uid === null ? undefined : await findSessionByUid(context.tx, uid);
    if (session !== undefined && session.lot_id !== context.gateway.lot_id) {
      throw new UnusableRecord(`session ${uid} is not of the gateway's lot`);
    }
  }
}

/**
 * Begins, keeps or ends a session as the gateway decided, with what the cloud knows and the gateway could not: a lot's
 * gateways may be cut off from each other for days, and their records come in any order. What happened meanwhile stands: a
 * session already ended (over REST, by another gateway) is not ended again, one the cloud never heard of is not made up.
 */
export async function applySessionEffect(context: RecordContext, read: EffectOfRead): Promise<AppliedEffect> {
  const effect = read.payload.session;
  // Even if nothing comes of it: the gateway holds its own decision until it is told the lot's sessions as they are.
  if (effect !== null) context.dirty.add('sessions');
  switch (effect?.effect) {
    case 'begin': {
      const known = await findSessionByUid(context.tx, effect.session_uid);
      return known === undefined ? beginSession(context, read, effect) : belongsTo(known);
    }
    case 'keep': {
      const known = await findSessionByUid(context.tx, effect.session_uid);
      return belongsTo(known ?? (await ownOpenSession(context, read)));
    }
    case 'end':
      return endSessionOfExit(context, read, effect);
    case undefined:
      return isAdmittedExit(read) ? endSessionOfExit(context, read, null) : belongsTo(undefined);
  }
}

const belongsTo = (session: SessionRow | undefined): AppliedEffect => ({
  session_id: session?.id ?? null,
  entry_reading_id: null,
  changes: [],
});

/** Let out without a session: the gateway may have been cut off from the one that let the vehicle in. */
const isAdmittedExit = ({ payload, reading }: EffectOfRead): boolean =>
  reading.direction === 'out' && payload.lot_entry?.is_allowed === true;

/** The newest open session of the read's plate in the lot, of those that had begun by then. */
async function ownOpenSession(context: RecordContext, { reading }: EffectOfRead): Promise<SessionRow | undefined> {
  const { plate_normalised, created_at, time_estimated } = reading;
  const open = await openSessionsOf(context.tx, { lot_id: context.gateway.lot_id, plate_normalised });
  return open.findLast((session) => session.created_at <= created_at || time_estimated === 1);
}

/** An exact match goes before any look-alike, and before one that has ended. */
async function endSessionOfExit(
  context: RecordContext,
  read: EffectOfRead,
  effect: Extract<SessionEffect, { effect: 'end' }> | null,
): Promise<AppliedEffect> {
  const named = effect === null ? undefined : await findSessionByUid(context.tx, effect.session_uid);
  const isNamedOpen = named?.ended_at === null;
  const own = isNamedOpen && !effect?.look_alike ? named : await ownOpenSession(context, read);
  const session = own ?? named;
  if (session === undefined) return belongsTo(undefined);
  const { entry_reading_id } = session;
  if (session.ended_at !== null) return { ...belongsTo(session), entry_reading_id };
  context.dirty.add('sessions');
  const ended = await endByCamera(context, session, {
    at: read.reading.created_at,
    camera_id: read.payload.reading.lpr_camera_id,
    reading_id: read.reading.id,
    look_alike: own === undefined,
  });
  return { session_id: session.id, entry_reading_id, changes: [await updateOf(context, ended)] };
}

async function beginSession(
  context: RecordContext,
  read: EffectOfRead,
  effect: Extract<SessionEffect, { effect: 'begin' }>,
): Promise<AppliedEffect> {
  const { payload, reading } = read;
  const around = await findEndedSessionAround(context, read);
  if (around !== undefined) return belongsTo(around);
  const missed = await missedSessions(context, read, effect);
  const kept = missed.find((session) => isKept(session, read, effect));
  if (kept !== undefined) return belongsTo(kept);
  const changes: SessionChangeEvent[] = [];
  for (const session of missed) {
    const camera_id = payload.reading.lpr_camera_id;
    const exit = { at: reading.created_at, camera_id, reading_id: reading.id, look_alike: false };
    changes.push(await updateOf(context, await endByCamera(context, session, exit)));
  }
  const { view, event } = await insertBegun(context, read, effect.session_uid);
  changes.push(event);
  const ended = await endByWhatFollowed(context, read, view);
  if (ended !== null) changes.push(ended);
  return { session_id: view.session.id, entry_reading_id: null, changes };
}

/** A stay that has ended since, in which this read lies: it stays the one stay that it was. */
function findEndedSessionAround(context: RecordContext, { reading }: EffectOfRead): Promise<SessionRow | undefined> {
  const { plate_normalised, created_at, time_estimated } = reading;
  if (time_estimated === 1) return Promise.resolve(undefined);
  return findEndedSessionAt(context.tx, { lot_id: context.gateway.lot_id, plate_normalised, at: created_at });
}

/** Open sessions of the plate, and the one the gateway says so of, that had begun when the vehicle came (again). */
async function missedSessions(
  context: RecordContext,
  { reading }: EffectOfRead,
  effect: Extract<SessionEffect, { effect: 'begin' }>,
): Promise<SessionRow[]> {
  const { plate_normalised, created_at, time_estimated } = reading;
  const open = await openSessionsOf(context.tx, { lot_id: context.gateway.lot_id, plate_normalised });
  const uid = effect.ended_session_uid;
  const named =
    uid === null || open.some((each) => each.uid === uid) ? undefined : await findSessionByUid(context.tx, uid);
  if (named?.ended_at === null) open.push(named);
  return open.filter((session) => session.created_at <= created_at || session.uid === uid || time_estimated === 1);
}

/** The gateway did not know that another had let the vehicle in a moment before. */
function isKept(
  session: SessionRow,
  { reading }: EffectOfRead,
  effect: Extract<SessionEffect, { effect: 'begin' }>,
): boolean {
  if (session.uid === effect.ended_session_uid || reading.time_estimated === 1) return false;
  return reading.created_at - session.created_at <= SESSION_KEEP_MS;
}

async function insertBegun(
  context: RecordContext,
  { payload, reading, images }: EffectOfRead,
  uid: Uid,
): Promise<{ view: SessionView; event: SessionChangeEvent }> {
  const { tx, gateway } = context;
  const { plate_normalised, zone_id, created_at } = reading;
  const tariff = await findTariffFor(tx, { zone_id, plate_normalised });
  const session = await insertSession(tx, {
    uid,
    public_id: context.makePublicId(),
    account_id: gateway.account_id,
    lot_id: gateway.lot_id,
    zone_id,
    tariff_id: tariff?.id ?? null,
    plate_normalised,
    entry_reading_id: reading.id,
    exit_reading_id: null,
    entry_type: 'lpr_camera',
    entry_source_id: payload.reading.lpr_camera_id,
    exit_type: null,
    exit_source_id: null,
    ended_at: null,
    ended_by_look_alike: 0,
    discount_time: null,
    amount_paid_minor: 0,
    possibly_exited: null,
    created_at,
    updated_at: created_at,
  });
  const entry = { reading_id: reading.id, plate: reading.plate, images };
  const view = { session, currency: tariff?.currency ?? null, entry };
  return { view, event: { event: 'session_create', payload: sessionEvent(view, created_at) } };
}

/**
 * The cloud may have heard before of what came after: the vehicle left by a gateway that knew of no session, or came again
 * (its exit was missed). Whichever was first ended this stay.
 */
async function endByWhatFollowed(
  context: RecordContext,
  { payload, reading }: EffectOfRead,
  view: SessionView,
): Promise<SessionChangeEvent | null> {
  const { tx } = context;
  if (reading.time_estimated === 1) return null;
  const { id, lot_id, plate_normalised } = view.session;
  const after = reading.created_at;
  const again = await findNextSession(tx, { lot_id, plate_normalised, after });
  const left = await findExitWithoutSession(tx, { lot_id, plate_normalised, after });
  const own_camera_id = payload.reading.lpr_camera_id;
  const exits: CameraExit[] = [];
  if (left !== undefined) {
    const camera_id = left.lpr_camera_id ?? own_camera_id;
    exits.push({ at: left.created_at, camera_id, reading_id: left.id, look_alike: false });
  }
  if (again !== undefined && (left === undefined || again.created_at < left.created_at)) {
    const camera_id = again.entry_type === 'lpr_camera' ? again.entry_source_id : own_camera_id;
    exits.unshift({ at: again.created_at, camera_id, reading_id: again.entry_reading_id, look_alike: false });
  }
  const [exit] = exits;
  if (exit === undefined) return null;
  if (left !== undefined && exit.reading_id === left.id) await saveReadingSession(tx, { id: left.id, session_id: id });
  const session = await endByCamera(context, view.session, exit);
  return { event: 'session_update', payload: sessionEvent({ ...view, session }, context.now) };
}

interface CameraExit {
  at: number;
  camera_id: number;
  reading_id: number | null;
  look_alike: boolean;
}

function endByCamera(context: RecordContext, session: SessionRow, exit: CameraExit): Promise<SessionRow> {
  return endSession(context.tx, {
    id: session.id,
    ended_at: Math.max(exit.at, session.created_at),
    exit_type: 'lpr_camera',
    exit_source_id: exit.camera_id,
    exit_reading_id: exit.reading_id,
    ended_by_look_alike: exit.look_alike,
    possibly_exited: true,
    now: context.now,
  });
}

async function updateOf(context: RecordContext, session: SessionRow): Promise<SessionChangeEvent> {
  return { event: 'session_update', payload: sessionEvent(await sessionView(context.tx, session), context.now) };
}
