/** The stay of a vehicle that a person lets out at an exit which had refused it. */
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import { endedAsOf, type OpenSessions, type OwnChange } from './open-sessions.js';

/**
 * Ends, as far as this gateway knows it, the stay that a refused exit fits: as of the read, at once. Where it knows of none, the cloud ends it
 * when it has heard of both.
 * @param read.plate as read. @param read.event_ms wall milliseconds, perhaps with a fraction
 * @returns the change, to be stored; none: no stay fits
 */
export function endStayOfLetOut(
  sessions: Pick<OpenSessions, 'own' | 'lookAlike' | 'change'>,
  read: { plate: string; event_ms: number },
): OwnChange[] {
  const plate = normalisePlate(read.plate);
  const event_ms = Math.round(read.event_ms);
  const own = sessions.own(plate);
  const session = own ?? sessions.lookAlike(plate);
  if (session === null || session.began_ms > event_ms) return [];
  const change = endedAsOf(session, event_ms, own === null);
  sessions.change(change);
  return [change];
}
