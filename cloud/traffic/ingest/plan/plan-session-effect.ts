/** Plans what a camera's read does to the sessions of its lot. The cloud may hear of the read days late, and after later reads. */
import type { SessionEffect } from '../../../../shared/access/session-effect.js';
import type { PlateReadRecord } from '../../../../shared/uplink.js';
import { memberTariffOf } from '../../session/member-tariff.js';
import { sessionEvent } from '../../session/session-event-payload.js';
import { addExitOfPlate, addSession, plateKey, sessionsOfPlateInLot } from '../load/facts.js';
import { idOf, type Numbered, type PlannedReading, type SessionState } from '../load/row-states.js';
import { isAdmittedExit } from '../read/payload-references.js';
import { markStale } from './batch-plan.js';
import { addEvent, type RecordContext, UnusableRecord } from './context.js';
import { decideEnd, decideEntry, decideExit, ownOpenSession, type TimedRead } from './decide-session.js';

/** Throws for a session of another lot, before anything is planned. */
export function checkSessionEffect({ memory, gateway }: RecordContext, effect: SessionEffect | null): void {
  if (effect === null) return;
  const ended = effect.effect === 'begin' ? effect.ended_session_uid : null;
  for (const uid of [effect.session_uid, ended]) {
    const session = uid === null ? undefined : memory.sessions.get(uid);
    if (session !== undefined && session.row.lot_id !== gateway.lot_id) {
      throw new UnusableRecord(`session ${uid} is not of the gateway's lot`);
    }
  }
}

interface Read {
  payload: PlateReadRecord;
  reading: PlannedReading;
}

type BeginEffect = Extract<SessionEffect, { effect: 'begin' }>;

/**
 * Begins, keeps or ends a session as the gateway decided, corrected by what only the cloud knows. What happened meanwhile stands:
 * a session that a person or another gateway has ended is not ended again, and one that the cloud never heard of is not invented.
 */
export function planSessionEffect(context: RecordContext, read: Read): void {
  const effect = read.payload.session;
  // Also if nothing changes here: the gateway keeps to its own decision until the cloud sends it the sessions of the lot.
  if (effect !== null) markStale(context.plan, context.gateway.lot_id, 'sessions');
  read.reading.session = sessionOf(context, read, effect);
  if (read.reading.session === null && isAdmittedExit(read.payload)) addExit(context, read);
  // A person may have counted the vehicle without a session (`departure-queries.ts`): gateways have to hear that it left.
  if (read.reading.session === null && read.reading.row.direction === 'out')
    markStale(context.plan, context.gateway.lot_id, 'zones');
}

function sessionOf(context: RecordContext, read: Read, effect: SessionEffect | null): SessionState | null {
  const known = effect === null ? undefined : context.memory.sessions.get(effect.session_uid);
  switch (effect?.effect) {
    case 'begin':
      return known ?? beginSession(context, read, effect);
    case 'keep':
      return known ?? ownOpenSession(sessionsOfRead(context, read), timeOf(read)) ?? null;
    case 'end':
      return endSession(context, read, { named: known, isLookAlike: effect.look_alike });
    case undefined:
      return isAdmittedExit(read.payload) ? endSession(context, read, { named: undefined, isLookAlike: false }) : null;
  }
}

const timeOf = ({ reading: { row } }: Read): TimedRead => ({
  at: row.created_at,
  isEstimated: row.time_estimated === 1,
});

const sessionsOfRead = ({ memory, gateway }: RecordContext, { reading }: Read): SessionState[] =>
  sessionsOfPlateInLot(memory, { lot_id: gateway.lot_id, plate_normalised: reading.row.plate_normalised });

function endSession(
  context: RecordContext,
  read: Read,
  effect: { named: SessionState | undefined; isLookAlike: boolean },
): SessionState | null {
  const decision = decideExit(timeOf(read), { sessions: sessionsOfRead(context, read), ...effect });
  if ('belongsTo' in decision) return decision.belongsTo;
  markStale(context.plan, context.gateway.lot_id, 'sessions');
  endByCamera(context, decision.ends, { ...exitAt(read), look_alike: decision.byLookAlike });
  return decision.ends;
}

function beginSession(context: RecordContext, read: Read, effect: BeginEffect): SessionState {
  const { memory, plan } = context;
  const { payload, reading } = read;
  const named = effect.ended_session_uid === null ? undefined : memory.sessions.get(effect.ended_session_uid);
  const sessions = sessionsOfRead(context, read);
  const decision = decideEntry(timeOf(read), { sessions, named });
  if ('keeps' in decision) return decision.keeps;
  for (const session of decision.begins.ended) endByCamera(context, session, { ...exitAt(read), look_alike: false });

  const begun = newSession(context, { payload, reading, uid: effect.session_uid });
  addSession(memory, begun);
  plan.newSessions.push(begun);
  planEvent(context, 'session_create', begun, reading.row.created_at);
  endByWhatFollowed(context, read, { begun, sessions });
  return begun;
}

/** Ends the session at once when the cloud has already heard of what ended it. */
function endByWhatFollowed(
  context: RecordContext,
  read: Read,
  { begun, sessions }: { begun: SessionState; sessions: readonly SessionState[] },
): void {
  const { memory, plan } = context;
  const plate = plateKey(begun.row);
  const exits = memory.exitsOfPlates.get(plate) ?? [];
  const end = decideEnd(timeOf(read), { sessions, exits });
  if (end === null) return;
  const own_camera_id = read.payload.reading.lpr_camera_id;
  if ('again' in end) {
    const { row, entry_reading } = end.again;
    const camera_id = row.entry_type === 'lpr_camera' ? row.entry_source_id : own_camera_id;
    endByCamera(context, begun, { at: row.created_at, camera_id, reading: entry_reading, look_alike: false });
    return;
  }
  const { left } = end;
  memory.exitsOfPlates.set(
    plate,
    exits.filter((exit) => exit !== left),
  );
  if (left.planned === null) plan.claimedReadings.push({ reading: left.reading, session: begun });
  else left.planned.session = begun;
  const camera_id = left.camera_id ?? own_camera_id;
  endByCamera(context, begun, { at: left.at, camera_id, reading: left.reading, look_alike: false });
}

/** Keeps an exit that was let out without a session: the read of its entry may still come. */
function addExit({ memory, gateway }: RecordContext, { payload, reading }: Read): void {
  const camera_id = payload.reading.lpr_camera_id;
  const exit = { reading, planned: reading, at: reading.row.created_at, camera_id };
  const { plate_normalised } = reading.row;
  addExitOfPlate(memory, { lot_id: gateway.lot_id, plate_normalised }, exit);
}

const exitAt = ({ payload, reading }: Read) => ({
  at: reading.row.created_at,
  camera_id: payload.reading.lpr_camera_id,
  reading,
});

function newSession(context: RecordContext, { payload, reading, uid }: Read & { uid: string }): SessionState {
  const { gateway } = context;
  const { zone_id, plate_normalised, plate, created_at } = reading.row;
  return {
    id: null,
    entry_reading: reading,
    exit_reading: null,
    entry: { reading, plate, images: reading.images },
    row: {
      uid,
      public_id: context.generatePublicId(),
      account_id: gateway.account_id,
      lot_id: gateway.lot_id,
      zone_id,
      tariff_id: tariffOf(context, { zone_id, plate_normalised, created_at }),
      tariff_version_id: null,
      currency: null,
      price_minor: null,
      price_lines: null,
      plate_normalised,
      entry_type: 'lpr_camera',
      entry_source_id: payload.reading.lpr_camera_id,
      exit_type: null,
      exit_source_id: null,
      ended_at: null,
      ended_by_look_alike: 0,
      discount_time: null,
      discount_reason: null,
      discount_granted_by: null,
      discount_granted_at: null,
      amount_paid_minor: 0,
      possibly_exited: null,
      created_at,
      updated_at: created_at,
    },
  };
}

/** Members of a group are priced by the group's tariff, when it has one, instead of the zone's. */
function tariffOf({ facts }: RecordContext, session: Parameters<typeof memberTariffOf>[1]): number | null {
  return memberTariffOf(facts.memberTariffs, session) ?? facts.zoneTariffs.get(session.zone_id) ?? null;
}

export function endByCamera(
  context: RecordContext,
  session: SessionState,
  exit: { at: number; camera_id: number; reading: Numbered | null; look_alike: boolean },
): void {
  session.exit_reading = exit.reading;
  Object.assign(session.row, {
    ended_at: Math.max(exit.at, session.row.created_at),
    exit_type: 'lpr_camera',
    exit_source_id: exit.camera_id,
    ended_by_look_alike: exit.look_alike ? 1 : 0,
    possibly_exited: 1,
    updated_at: context.now,
  } satisfies Partial<SessionState['row']>);
  if (session.id !== null) context.plan.endedSessions.push(session);
  planEvent(context, 'session_update', session, context.now);
}

/** The event shows the session as it is at this point of the batch, not as it is at the end of the batch. */
function planEvent(
  context: RecordContext,
  event: 'session_create' | 'session_update',
  state: SessionState,
  now: number,
): void {
  const row = { ...state.row };
  addEvent(context, () => {
    const session = { ...row, id: idOf(state), entry_reading_id: null, exit_reading_id: null };
    const entry =
      state.entry === null
        ? null
        : { reading_id: idOf(state.entry.reading), plate: state.entry.plate, images: state.entry.images };
    return { event, payload: sessionEvent({ session, entry }, now) };
  });
}
