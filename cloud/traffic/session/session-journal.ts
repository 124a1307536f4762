/** Journals the events of changes to single sessions. */
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import type { Tx } from '../../kernel/store/entry.js';
import { findSessionDetails, type SessionDetails } from './session-detail-queries.js';
import { sessionEvent } from './session-event-payload.js';

/** Loads the session that the route has just found. Sessions are never removed. */
export async function detailsOf(tx: Tx, session_id: number): Promise<SessionDetails> {
  const details = await findSessionDetails(tx, session_id);
  if (details === null) throw new ApiError(NOT_FOUND);
  return details;
}

/** Journals the event of the change and returns the changed session. */
export async function journalChange(
  { tx, now }: { tx: Tx; now: number },
  event: 'session_create' | 'session_update',
  session_id: number,
): Promise<SessionDetails> {
  const details = await detailsOf(tx, session_id);
  const { session, entry, account_id, lot_id } = details;
  const payload = sessionEvent({ session, entry }, now);
  tx.journal({ account_id, lot_id, event, payload });
  return details;
}
