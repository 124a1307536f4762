/** Payload of session_create and session_update (specification, "Events"). */
import type { SessionEvent } from '../../../shared/events/event-schemas.js';
import { imageLinks, type ReadingImages } from '../image/reading-images-payload.js';
import type { Row } from '../../kernel/store/entry.js';
import { majorUnits } from '../../../shared/currencies.js';

/** A session with what its event shows of its entry. */
export interface SessionEventDetails {
  session: Row<'sessions'>;
  entry: { reading_id: number; plate: string; images: ReadingImages } | null;
}

/** @param now wall milliseconds: an open session's duration ends there */
export function sessionEvent({ session, entry }: SessionEventDetails, now: number): SessionEvent {
  const { ended_at, exit_type, exit_source_id } = session;
  return {
    id: session.id,
    public_id: session.public_id,
    ...(ended_at === null ? {} : { ended_at: new Date(ended_at).toISOString() }),
    duration: durationSeconds(session, now),
    ...(session.discount_time === null ? {} : { discount_time: session.discount_time }),
    amount_paid: majorUnits(session.amount_paid_minor, session.currency),
    ...(session.possibly_exited === null ? {} : { possibly_exited: session.possibly_exited === 1 }),
    exit_allowed: ended_at === null,
    entry_license_plate:
      entry === null ? null : { id: entry.reading_id, plate: entry.plate, ...imageLinks(entry.images) },
    created_at: new Date(session.created_at).toISOString(),
    entry: { id: session.entry_source_id, type: session.entry_type },
    ...(exit_type === null || exit_source_id === null ? {} : { exit: { id: exit_source_id, type: exit_type } }),
    zone_id: session.zone_id,
  };
}

/** Whole seconds until the end, or until now while the session is open. */
export function durationSeconds(session: Pick<Row<'sessions'>, 'created_at' | 'ended_at'>, now: number): number {
  return Math.max(0, Math.floor(((session.ended_at ?? now) - session.created_at) / 1_000));
}
