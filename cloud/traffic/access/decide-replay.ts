/** Asks the access decision again for a reading, with the facts as they were and the rules of another site file. Pure. */
import type { AccessTrace } from '../../../shared/access/access-trace.js';
import { type AccessDecision, decideAccess } from '../../../shared/access/decide-access.js';
import { factsOf } from '../../../shared/access/explain-access.js';
import type { ReplayRules } from './replay-rules.js';

export type Decided = Pick<AccessDecision, 'access_decision' | 'access_decision_reason'>;

/** A reading with what its decision saw. */
export interface ReplayedRead {
  /** device_id */
  camera: string;
  confidence: number | null;
  created_at: number;
  trace: AccessTrace;
}

const UNDECIDED: Decided = { access_decision: null, access_decision_reason: null };

/**
 * Returns what the rules would have decided; null: they have no such camera. Sessions, earlier reads and the link are taken as they were,
 * even if the rules would have changed them.
 * @param occupiedIn how many vehicles were in a zone, where the decision did not count them
 */
export function decideReplay(
  read: ReplayedRead,
  { rules, occupiedIn }: { rules: ReplayRules; occupiedIn: (zone: string) => number },
): Decided | null {
  const { trace, created_at, confidence } = read;
  const camera = rules.cameras.get(read.camera);
  if (camera === undefined) return null;
  if (confidence !== null && confidence < camera.min_confidence) return UNDECIDED;
  const { lpr_position, debounce_ms, has_tariff, spot_count } = camera;
  const byPosition = lpr_position === 'in/out' ? ('undefined' as const) : lpr_position;
  // Only an entry to a zone with a limit has counted the vehicles.
  const wasCounted = trace.spot_count > 0 && trace.direction === 'in';
  const facts = factsOf({
    ...trace,
    direction: camera.direction_source === 'position' ? byPosition : trace.direction,
    lpr_position,
    debounce_ms,
    has_tariff,
    spot_count,
    occupied_count: spot_count > 0 && !wasCounted ? occupiedIn(camera.zone) : trace.occupied_count,
    whitelisted: rules.isWhitelisted(trace.plate, camera, created_at),
    offline_exit: rules.offline_exit,
  });
  const { access_decision, access_decision_reason } = decideAccess(facts);
  return { access_decision, access_decision_reason };
}
