/** Builds the record of a decided read, and the changes that the decision makes to sessions. */
import type { AccessTrace } from '../../../shared/access/access-trace.js';
import type { AccessDecision } from '../../../shared/access/decide-access.js';
import type { ReadDirection } from '../../../shared/access/resolve-direction.js';
import type { TimeSource } from '../../../shared/decide-device-time.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { PlateReadRecord } from '../../../shared/uplink.js';
import { endedAsOf, type OpenSession, type OpenSessions, type OwnChange } from '../../access/open-sessions.js';
import type { CameraRead } from '../camera.js';
import type { ReadFacts } from './read-facts.js';

export interface DecidedRead {
  camera: CameraItem;
  read: CameraRead;
  /** The plate as stored. */
  plate: string;
  direction: ReadDirection;
  event_ms: number;
  /** Left out: the time source of the reading does not change. */
  time_source?: TimeSource;
  decision: AccessDecision;
  /** The facts that the decision saw. */
  trace: AccessTrace;
  opening: PlateReadRecord['opening'];
  images: PlateReadRecord['reading']['images'];
}

export function plateReadRecord(decided: DecidedRead): PlateReadRecord {
  return {
    kind: 'plate_read',
    reading: plateReadingRecord(decided),
    ...decisionParts(decided),
  };
}

export function plateReadingRecord(
  seen: Omit<DecidedRead, 'decision' | 'trace' | 'opening'>,
): PlateReadRecord['reading'] {
  const { camera, read } = seen;
  return {
    lpr_camera_id: camera.id,
    zone_id: camera.zone_id,
    plate: seen.plate,
    raw_plate: read.raw_plate,
    confidence: read.confidence,
    direction: seen.direction,
    type: read.type,
    make: read.make,
    color: read.color,
    model: read.model,
    country_code: read.country_code,
    plate_side: camera.plate_side,
    lpr_camera_direction: camera.lpr_position,
    vendor_event_id: read.vendor_event_id,
    event_ms: Math.round(seen.event_ms),
    ...(seen.time_source === undefined ? {} : { time_source: seen.time_source }),
    retransmission: read.retransmission,
    images: seen.images,
  };
}

/** Builds the parts of a record that describe a decision. */
export function decisionParts({
  decision,
  trace,
  opening,
}: Pick<DecidedRead, 'decision' | 'trace' | 'opening'>): Omit<PlateReadRecord, 'kind' | 'reading'> {
  const { access_decision, access_decision_reason, session, lot_entry } = decision;
  return { access_decision, access_decision_reason, session, lot_entry, opening, trace };
}

/**
 * Changes the sessions according to a decision.
 * @param read.plate normalised
 * @param read.event_ms may have a fraction
 * @param decided the decision, and the facts that it was based on
 * @returns the changes, to be stored
 */
export function changeSessions(
  sessions: Pick<OpenSessions, 'change'>,
  { plate, camera, event_ms }: { plate: string; camera: CameraItem; event_ms: number },
  { decision, known }: { decision: AccessDecision; known: Pick<ReadFacts, 'own_session' | 'look_alike_session'> },
): OwnChange[] {
  const changes = sessionChanges(
    decision.session,
    { plate, zone_id: camera.zone_id, event_ms: Math.round(event_ms) },
    { own: known.own_session, lookAlike: known.look_alike_session },
  );
  for (const change of changes) sessions.change(change);
  return changes;
}

/**
 * @param read.plate normalised
 * @param known the sessions that the decision was based on
 */
function sessionChanges(
  session: AccessDecision['session'],
  read: { plate: string; zone_id: number; event_ms: number },
  known: { own: OpenSession | null; lookAlike: OpenSession | null },
): OwnChange[] {
  const { plate, zone_id, event_ms } = read;
  const { own, lookAlike } = known;
  switch (session?.effect) {
    case 'begin': {
      const begun = { plate, zone_id, began_ms: event_ms, ended_ms: null, ended_by_look_alike: false };
      const changes: OwnChange[] = [{ uid: session.session_uid, ...begun }];
      if (session.ended_session_uid !== null && own !== null) changes.unshift(endedAsOf(own, event_ms, false));
      return changes;
    }
    case 'end': {
      const ended = session.look_alike ? lookAlike : own;
      return ended === null ? [] : [endedAsOf(ended, event_ms, session.look_alike)];
    }
    default:
      return [];
  }
}
