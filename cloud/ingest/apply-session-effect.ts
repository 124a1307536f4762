/** What a camera's read does to the sessions of its lot, when the cloud hears of it: perhaps days later, perhaps after others. */
import type { PlateReadRecord, SessionEffect } from '../../shared/uplink.js';
import type { ReadingImages } from '../lpr/reading-images-payload.js';
import { sessionEvent, type SessionView } from '../session/session-payload.js';
import type { EventPayload } from '../../shared/events/event-schemas.js';
import {
  endSession,
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
 * Begins, keeps or ends a session. What happened meanwhile stands: a session already ended (over REST, by another gateway)
 * is not ended again, one the cloud never heard of is not made up.
 */
export async function applySessionEffect(context: RecordContext, read: EffectOfRead): Promise<AppliedEffect> {
  const effect = read.payload.session;
  if (effect === null) return { session_id: null, entry_reading_id: null, changes: [] };
  context.dirty.add('sessions');
  const session = await findSessionByUid(context.tx, effect.session_uid);
  if (effect.effect === 'begin' && session === undefined) return beginSession(context, read, effect);
  if (session === undefined) return { session_id: null, entry_reading_id: null, changes: [] };
  if (effect.effect !== 'end') return { session_id: session.id, entry_reading_id: null, changes: [] };
  const { entry_reading_id } = session;
  if (session.ended_at !== null) return { session_id: session.id, entry_reading_id, changes: [] };
  const ended = await endByCamera(context, session, {
    at: read.reading.created_at,
    camera_id: read.payload.reading.lpr_camera_id,
    reading_id: read.reading.id,
    look_alike: effect.look_alike,
  });
  return { session_id: session.id, entry_reading_id, changes: [await updateOf(context, ended)] };
}

async function beginSession(
  context: RecordContext,
  { payload, reading, images }: EffectOfRead,
  effect: Extract<SessionEffect, { effect: 'begin' }>,
): Promise<AppliedEffect> {
  const { tx, gateway } = context;
  const at = reading.created_at;
  const camera_id = payload.reading.lpr_camera_id;
  const { plate_normalised } = reading;
  const changes: SessionChangeEvent[] = [];

  const missed = await openSessionsOf(tx, { lot_id: gateway.lot_id, plate_normalised });
  const named =
    effect.ended_session_uid === null || missed.some(({ uid }) => uid === effect.ended_session_uid)
      ? undefined
      : await findSessionByUid(tx, effect.ended_session_uid);
  if (named?.ended_at === null) missed.push(named);
  // Another gateway may have told of a later entry first, while this one had no network. What this one knew is no later.
  const isLater = (session: SessionRow): boolean =>
    session.created_at > at && session.uid !== effect.ended_session_uid && reading.time_estimated === 0;
  const later = missed.find(isLater);
  for (const session of missed.filter((each) => !isLater(each))) {
    const exit = { at, camera_id, reading_id: reading.id, look_alike: false };
    changes.push(await updateOf(context, await endByCamera(context, session, exit)));
  }

  const tariff = await findTariffFor(tx, { zone_id: reading.zone_id, plate_normalised });
  const begun = await insertSession(tx, {
    uid: effect.session_uid,
    public_id: context.makePublicId(),
    account_id: gateway.account_id,
    lot_id: gateway.lot_id,
    zone_id: reading.zone_id,
    tariff_id: tariff?.id ?? null,
    plate_normalised,
    entry_reading_id: reading.id,
    exit_reading_id: null,
    entry_type: 'lpr_camera',
    entry_source_id: camera_id,
    exit_type: null,
    exit_source_id: null,
    ended_at: null,
    ended_by_look_alike: 0,
    discount_time: null,
    amount_paid_minor: 0,
    possibly_exited: null,
    created_at: at,
    updated_at: at,
  });
  const view: SessionView = {
    session: begun,
    currency: tariff?.currency ?? null,
    entry: { reading_id: reading.id, plate: reading.plate, images },
  };
  changes.push({ event: 'session_create', payload: sessionEvent(view, at) });
  if (later !== undefined) {
    const ended = await endByCamera(context, begun, {
      at: later.created_at,
      camera_id: later.entry_type === 'lpr_camera' ? later.entry_source_id : camera_id,
      reading_id: later.entry_reading_id,
      look_alike: false,
    });
    changes.push({ event: 'session_update', payload: sessionEvent({ ...view, session: ended }, context.now) });
  }
  return { session_id: begun.id, entry_reading_id: null, changes };
}

function endByCamera(
  context: RecordContext,
  session: SessionRow,
  exit: { at: number; camera_id: number; reading_id: number | null; look_alike: boolean },
): Promise<SessionRow> {
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
