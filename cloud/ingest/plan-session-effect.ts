/** What a camera's read does to the sessions of its lot, when the cloud hears of it: perhaps days later, perhaps after others. */
import type { PlateReadRecord, SessionEffect } from '../../shared/uplink.js';
import { sessionEvent } from '../session/session-payload.js';
import { addSession } from './batch-facts.js';
import { idOf, UnusableRecord, type Numbered, type PlannedReading, type SessionState } from './batch-plan.js';
import type { PlanContext } from './plan-context.js';

/** Throws for a session of another lot, before anything is planned. */
export function checkSessionEffect({ facts, gateway }: PlanContext, effect: SessionEffect | null): void {
  if (effect === null) return;
  const ended = effect.effect === 'begin' ? effect.ended_session_uid : null;
  for (const uid of [effect.session_uid, ended]) {
    const session = uid === null ? undefined : facts.sessions.get(uid);
    if (session !== undefined && session.row.lot_id !== gateway.lot_id) {
      throw new UnusableRecord(`session ${uid} is not of the gateway's lot`);
    }
  }
}

interface Read {
  payload: PlateReadRecord;
  reading: PlannedReading;
}

/**
 * Begins, keeps or ends a session. What happened meanwhile stands: a session already ended (over REST, by another gateway)
 * is not ended again, one the cloud never heard of is not made up. Returns the session that an exit belongs to.
 */
export function planSessionEffect(context: PlanContext, read: Read): SessionState | null {
  const effect = read.payload.session;
  if (effect === null) return null;
  context.plan.dirty.add('sessions');
  const session = context.facts.sessions.get(effect.session_uid);
  if (effect.effect === 'begin' && session === undefined) {
    beginSession(context, read, effect);
    return null;
  }
  if (session === undefined) return null;
  read.reading.session = session;
  if (effect.effect !== 'end') return null;
  if (session.row.ended_at === null) {
    const camera_id = read.payload.reading.lpr_camera_id;
    const at = read.reading.row.created_at;
    endByCamera(context, session, { at, camera_id, reading: read.reading, look_alike: effect.look_alike });
  }
  return session;
}

function beginSession(
  context: PlanContext,
  { payload, reading }: Read,
  effect: Extract<SessionEffect, { effect: 'begin' }>,
): void {
  const { facts, plan } = context;
  const { created_at: at, plate_normalised } = reading.row;
  const camera_id = payload.reading.lpr_camera_id;
  const named = effect.ended_session_uid === null ? undefined : facts.sessions.get(effect.ended_session_uid);
  const ofPlate = facts.sessionsOfPlate.get(plate_normalised) ?? [];
  const missed = [...new Set(named === undefined ? ofPlate : [...ofPlate, named])].filter(
    ({ row }) => row.ended_at === null && row.lot_id === context.gateway.lot_id,
  );
  // Another gateway may have told of a later entry first, while this one had no network. What this one knew is no later.
  const isLater = ({ row }: SessionState): boolean =>
    row.created_at > at && row.uid !== effect.ended_session_uid && reading.row.time_estimated === 0;
  const later = missed.find(isLater);
  for (const session of missed) {
    if (!isLater(session)) endByCamera(context, session, { at, camera_id, reading, look_alike: false });
  }

  const begun = newSession(context, { payload, reading, uid: effect.session_uid });
  addSession(facts, begun);
  plan.newSessions.push(begun);
  reading.session = begun;
  tell(context, 'session_create', begun, at);
  if (later === undefined) return;
  endByCamera(context, begun, {
    at: later.row.created_at,
    camera_id: later.row.entry_type === 'lpr_camera' ? later.row.entry_source_id : camera_id,
    reading: later.entry_reading,
    look_alike: false,
  });
}

function newSession(context: PlanContext, { payload, reading, uid }: Read & { uid: string }): SessionState {
  const { gateway } = context;
  const { zone_id, plate_normalised, plate, created_at } = reading.row;
  const tariff = tariffOf(context, { zone_id, plate_normalised });
  return {
    id: null,
    entry_reading: reading,
    exit_reading: null,
    currency: tariff?.currency ?? null,
    entry: { reading, plate, images: reading.images },
    row: {
      uid,
      public_id: context.makePublicId(),
      account_id: gateway.account_id,
      lot_id: gateway.lot_id,
      zone_id,
      tariff_id: tariff?.id ?? null,
      plate_normalised,
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
    },
  };
}

/** A group's tariffs, when any, price its members instead of the zone's. */
function tariffOf({ facts }: PlanContext, stay: { zone_id: number; plate_normalised: string }) {
  const ofGroup = facts.memberTariffs.find(
    ({ zone_id, plate_normalised }) => zone_id === stay.zone_id && plate_normalised === stay.plate_normalised,
  );
  return ofGroup ?? facts.zoneTariffs.get(stay.zone_id);
}

function endByCamera(
  context: PlanContext,
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
  tell(context, 'session_update', session, context.now);
}

/** The event tells the session as it is at this point of the batch, not as the batch leaves it. */
function tell(
  { plan }: PlanContext,
  event: 'session_create' | 'session_update',
  state: SessionState,
  now: number,
): void {
  const row = { ...state.row };
  plan.events.push(() => {
    const session = { ...row, id: idOf(state), entry_reading_id: null, exit_reading_id: null };
    const { currency } = state;
    const entry =
      state.entry === null
        ? null
        : { reading_id: idOf(state.entry.reading), plate: state.entry.plate, images: state.entry.images };
    return { event, payload: sessionEvent({ session, currency, entry }, now) };
  });
}
