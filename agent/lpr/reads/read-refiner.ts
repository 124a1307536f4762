/**
 * Refines readings: a camera may send the same vehicle again with a better plate, confidence or direction. Each of these states is
 * recorded once, and the reading is decided again where that is allowed.
 */
import type { AccessTrace } from '../../../shared/access/access-trace.js';
import type { AccessDecision } from '../../../shared/access/decide-access.js';
import { isByPosition, resolveDirection, type ReadDirection } from '../../../shared/access/resolve-direction.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { Uid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { Lane, PlateReadRecord, PlateRefinedRecord } from '../../../shared/uplink.js';
import { type OpenSessions, storedChange } from '../../access/open-sessions.js';
import type { RecentReads } from '../../access/recent-reads.js';
import { type AgentStore, laneOfRefinement, type RecentRead, type RecordStamp } from '../../store/agent-store.js';
import type { CameraRead } from '../camera.js';
import { decideRefinement } from './decide-refinement.js';
import { changeSessions, decisionParts, plateReadingRecord } from './plate-record.js';
import type { ReadFacts } from './read-facts.js';
import type { ReadKeeper, ReadResult } from './read-keeper.js';

/** A plate to decide on: of a new read, or of a refined reading. */
export interface SeenPlate {
  /** The uid of the reading. */
  uid: Uid;
  camera: CameraItem;
  /** Normalised. */
  plate: string;
  direction: ReadDirection;
  /** The direction is that of the camera's position. */
  by_position: boolean;
  time: { event_ms: number; age_ms: number };
  retransmission: boolean;
}

export interface DecidedPlate {
  known: ReadFacts;
  decision: AccessDecision;
  /** The facts that the decision saw. */
  trace: AccessTrace;
  opening: PlateReadRecord['opening'];
}

type SessionChanges = ReturnType<typeof changeSessions>;
type SeenAgain = Pick<SeenPlate, 'camera' | 'plate' | 'direction' | 'by_position'>;
type SeenDecision = { parts: NonNullable<PlateRefinedRecord['decided']>; changes: SessionChanges };

export interface ReadRefinerDeps {
  store: Pick<AgentStore, 'recordRefinement'>;
  sessions: OpenSessions;
  recent: RecentReads;
  newUid: () => Uid;
  stamp: (uid: Uid) => RecordStamp;
  logger: Logger;
  onCommitted: (lane: Lane) => void;
  onRefined: (record: PlateRefinedRecord) => void;
}

export interface ReadRefiner {
  /**
   * Refines a reading, and decides and opens before it returns. null: the read refines nothing.
   * @param known.reading the earlier reading of the same vehicle
   * @param known.isLate the vehicle may have left, so that nothing is decided again
   * @param plate null: no usable plate, or not certain enough
   */
  refine(
    camera: CameraItem,
    read: CameraRead,
    plate: string | null,
    known: { reading: RecentRead; isLate: boolean },
  ): Promise<ReadResult> | null;
}

/** @param by.decide makes the ordinary decision, and opens before it returns if the decision says so */
export function createReadRefiner(
  deps: ReadRefinerDeps,
  { keeper, decide }: { keeper: ReadKeeper; decide: (seen: SeenPlate) => DecidedPlate },
): ReadRefiner {
  const { store, sessions, recent, logger } = deps;

  function keep(reading: RecentRead, record: PlateRefinedRecord, changes: SessionChanges): Promise<ReadResult> {
    const uid = deps.newUid();
    const read = { ...reading, states: [...reading.states] };
    const commit = { ...deps.stamp(uid), record, read, sessions: changes.map(storedChange) };
    return keeper.keepRefinement(reading.uid, uid, async () => {
      sessions.committed(changes, await store.recordRefinement(commit));
      deps.onCommitted(laneOfRefinement(commit));
    });
  }

  /** Decides at the time of the reading, because the vehicle still stands there. */
  function decideAgain(reading: RecentRead, seen: SeenAgain): SeenDecision {
    const { camera, plate, direction, by_position } = seen;
    const { uid, event_ms } = reading;
    recent.forget(uid);
    const time = { event_ms, age_ms: 0 };
    const decided = decide({ uid, camera, plate, direction, by_position, time, retransmission: false });
    const { decision } = decided;
    const changes = changeSessions(sessions, { plate, camera, event_ms }, decided);
    const parts = decisionParts(decided);
    // The earlier denial was recorded as a lot entry already.
    if (reading.allowed === false && parts.lot_entry?.is_allowed === false) parts.lot_entry = null;
    reading.debounced = decision.debounced;
    reading.allowed = parts.lot_entry?.is_allowed ?? reading.allowed;
    return { parts, changes };
  }

  return {
    refine(camera, read, sent, { reading, isLate }) {
      const direction = resolveDirection(read.movement, camera);
      const { retransmission } = read;
      const refined = decideRefinement(reading, {
        plate: sent,
        direction,
        confidence: read.confidence,
        retransmission,
        isLate,
      });
      if (refined === null) return null;
      const { plate, confidence, state } = refined;
      const { uid, event_ms } = reading;
      const by_position = isByPosition(read.movement, camera);
      const seen = { camera, plate: normalisePlate(plate), direction, by_position };
      const again = refined.decidesAgain ? decideAgain(reading, seen) : null;
      Object.assign(reading, { plate, direction });
      reading.states.push(state);
      const reason = again?.parts.access_decision_reason ?? null;
      logger.info({ camera: camera.device_id, uid, access_decision_reason: reason }, 'plate refined');
      logger.debug({ uid, plate }, 'refined plate of a reading');
      const shown = refined.keepsPlate ? { ...read, raw_plate: plate, confidence } : read;
      const record: PlateRefinedRecord = {
        kind: 'plate_refined',
        reading_uid: uid,
        refinement: reading.states.length - 1,
        reading: plateReadingRecord({ camera, read: shown, plate, direction, event_ms, images: [] }),
        decided: again?.parts ?? null,
      };
      deps.onRefined(record);
      return keep(reading, record, again?.changes ?? []);
    },
  };
}
