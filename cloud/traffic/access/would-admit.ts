/** Asks the access decision for a plate at a camera and a time. It stores nothing and opens nothing. */
import { type AccessDecision, type AccessFacts, decideAccess } from '../../../shared/access/decide-access.js';
import { type AskedRule, askedRules, traceOf } from '../../../shared/access/explain-access.js';
import { resolveDirection } from '../../../shared/access/resolve-direction.js';
import type { Uid } from '../../../shared/ids.js';
import { foldPlate, matchExit } from '../../../shared/plate/match-plate.js';
import { canonicalCameraPlate, normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { Db } from '../../kernel/store/entry.js';
import { occupiedCountsOfZones } from '../../site/entry.js';
import {
  type AdmittingCamera,
  endedByLookAlike,
  hasTariff,
  isWhitelisted,
  type LotSession,
  occupiedAt,
  ownSessionAt,
  previousReading,
  sessionsAt,
  wasLetOut,
} from './admission-queries.js';

/** The session that would begin. */
const NO_UID = '00000000-0000-7000-8000-000000000000' as Uid;

interface Asked {
  camera: AdmittingCamera;
  /** As a camera would write it. */
  plate: string;
  /** Wall milliseconds. */
  at: number;
  now: number;
}

export interface Admission extends Pick<AccessDecision, 'access_decision' | 'access_decision_reason'> {
  rules: AskedRule[];
}

/** Decides as if the plate were read at this time. */
export async function wouldAdmit(db: Db, asked: Asked): Promise<Admission> {
  const canonical = canonicalCameraPlate(asked.plate);
  if (canonical === null) {
    const rules: AskedRule[] = [{ rule: 'plate', outcome: 'undecided', facts: { plate: asked.plate } }];
    return { access_decision: null, access_decision_reason: null, rules };
  }
  const plate = normalisePlate(canonical);
  const facts = await factsAt(db, { ...asked, plate });
  const decision = decideAccess(facts);
  const { access_decision, access_decision_reason, rule } = decision;
  return { access_decision, access_decision_reason, rules: askedRules(traceOf(facts, { rule, plate }), decision) };
}

/** A read in the cloud, now: it is never cut off, and no retransmission. */
async function factsAt(db: Db, { camera, plate, at, now }: Asked): Promise<AccessFacts> {
  const { lot_id, zone_id, spot_count } = camera;
  const direction = resolveDirection('absent', { ...camera, direction_source: 'position' });
  const debounce_ms = camera.debounce_time * 1_000;
  const own = await ownSessionAt(db, { lot_id, at, plate });
  return {
    read: { direction, event_ms: at, retransmission: false, age_ms: 0 },
    camera: { lpr_position: camera.lpr_position, debounce_ms },
    previous_read: direction === 'undefined' ? null : await previousRead(db, { camera, plate, direction, at }),
    whitelisted: await isWhitelisted(db, { camera, plate, at }),
    zone: {
      has_tariff: await hasTariff(db, zone_id),
      spot_count,
      occupied_count: direction === 'in' && spot_count > 0 ? await countAt(db, { camera, at, now }) : 0,
    },
    own_session: own === null ? null : sessionFact(own),
    look_alike_session: direction === 'out' && own === null ? await lookAlike(db, { lot_id, plate, at }) : null,
    ended_by_look_alike: await endedByLookAlike(db, { lot_id, plate, at }),
    let_out: direction === 'out' && (await wasLetOut(db, { camera, plate, at })),
    cut_off: false,
    offline_exit: camera.offline_exit,
    new_session_uid: NO_UID,
  };
}

const sessionFact = ({ uid, created_at }: LotSession) => ({ uid: uid as Uid, began_ms: created_at });

async function previousRead(
  db: Db,
  { camera, plate, direction, at }: { camera: AdmittingCamera; plate: string; direction: 'in' | 'out'; at: number },
): Promise<AccessFacts['previous_read']> {
  const from = at - camera.debounce_time * 1_000;
  const reading = await previousReading(db, { camera, plate, from, until: at });
  // After a read of the other direction nothing is a repeat. Whether two cameras see one passage, only their gateway knows.
  if (reading === null || reading.direction !== direction) return null;
  const { created_at, access_decision, opening_outcome } = reading;
  return {
    elapsed_ms: at - created_at,
    admitted: access_decision === 'triggered',
    opening_failed: opening_outcome === 'failed' || opening_outcome === 'unknown',
  };
}

/** The counts of sensors are known for the present only. For the past the sessions are counted. */
async function countAt(
  db: Db,
  { camera, at, now }: { camera: AdmittingCamera; at: number; now: number },
): Promise<number> {
  if (at < now) return occupiedAt(db, { ...camera, at });
  return (await occupiedCountsOfZones(db, [{ id: camera.zone_id }], at)).get(camera.zone_id) ?? 0;
}

async function lookAlike(
  db: Db,
  { plate, ...lot }: { lot_id: number; plate: string; at: number },
): Promise<AccessFacts['look_alike_session']> {
  const sessions = await sessionsAt(db, lot);
  const match = matchExit(
    plate,
    sessions.map((session) => ({
      session,
      plate: session.plate_normalised,
      fold: foldPlate(session.plate_normalised),
      began_ms: session.created_at,
    })),
  );
  return match?.kind === 'look_alike' ? sessionFact(match.session.session) : null;
}
