/** Goes over the decisions of a lot and asks other rules, piece by piece, so that memory does not grow with the number of decisions. */
import { decodeJson } from '../../../shared/json-text-codec.js';
import type { Db } from '../../kernel/store/entry.js';
import { createOpenVehicles, type OpenVehicles, type Stay } from './open-vehicles.js';
import { type Decided, decideReplay } from './decide-replay.js';
import {
  deviceIdsOfCameras,
  type Place,
  type Range,
  type ReadingToReplay,
  readingsAfter,
  sessionsAfter,
} from './replay-queries.js';
import type { ReplayRules } from './replay-rules.js';
import { HOUR_MS } from '../../../shared/durations.js';

const PIECE_ROWS = 5_000;
/** How long a session may count at most, whatever its zone says; older ones are not read. */
const COUNTED_MAX_MS = 31 * 24 * HOUR_MS;

/** A reading that the rules would have decided otherwise. */
export interface Difference {
  plate_reading_id: number;
  created_at: number;
  plate: string;
  lpr_camera: string;
  direction: string;
  decided: Decided;
  instead: Decided;
}

export interface ReplayCounts {
  /** Readings that were looked at. */
  readings: number;
  differing: number;
  /** Readings without stored facts: there was no decision, or its trace was not understood. */
  without_facts: number;
  /** Readings of cameras that the rules do not have. */
  without_camera: number;
}

/** Calls back for each piece with its differing readings, in their order, and with the progress. */
export async function replay(
  db: Db,
  { range, rules }: { range: Range; rules: ReplayRules },
  onPiece: (differences: Difference[], counts: ReplayCounts) => void,
): Promise<ReplayCounts> {
  const counts: ReplayCounts = { readings: 0, differing: 0, without_facts: 0, without_camera: 0 };
  const cameras = await deviceIdsOfCameras(db, range.lot.account_id);
  const vehicles = rules.hasLimitedZones ? followVehicles(db, range) : null;
  for (let after: Place = { created_at: range.from, id: 0 }; ; ) {
    const rows = await readingsAfter(db, range, { after, limit: PIECE_ROWS });
    const last = rows.at(-1);
    if (last === undefined) return counts;
    await vehicles?.until(last.created_at);
    const differences = rows.flatMap((row) => differenceOf(row, { cameras, rules, vehicles, counts }));
    counts.readings += rows.length;
    counts.differing += differences.length;
    onPiece(differences, counts);
    after = last;
  }
}

interface Replaying {
  cameras: ReadonlyMap<number, string>;
  rules: ReplayRules;
  vehicles: FollowedVehicles | null;
  counts: ReplayCounts;
}

function differenceOf(row: ReadingToReplay, { cameras, rules, vehicles, counts }: Replaying): Difference[] {
  const { created_at, confidence, access_decision, access_decision_reason } = row;
  const camera = cameras.get(row.lpr_camera_id ?? 0) ?? '';
  if (row.decision_trace === null) {
    counts.without_facts += 1;
    return [];
  }
  const trace = decodeJson(row.decision_trace);
  const occupiedIn = (zone: string) => vehicles?.count(zone, created_at) ?? 0;
  const instead = decideReplay({ camera, confidence, created_at, trace }, { rules, occupiedIn });
  if (instead === null) {
    counts.without_camera += 1;
    return [];
  }
  const decided = { access_decision, access_decision_reason };
  const isSame =
    instead.access_decision === access_decision && instead.access_decision_reason === access_decision_reason;
  if (isSame) return [];
  const { direction } = trace;
  return [
    {
      plate_reading_id: row.id,
      created_at,
      plate: row.plate_normalised,
      lpr_camera: camera,
      direction,
      decided,
      instead,
    },
  ];
}

interface FollowedVehicles {
  /** Reads the sessions that began until a time. */
  until(at: number): Promise<void>;
  /** Counts the vehicles of a zone just before a time. */
  count(zone: string, at: number): number;
}

/** Reads the sessions beside the readings. A session that begins with a reading does not count for that reading. */
function followVehicles(db: Db, range: Range): FollowedVehicles {
  const vehicles: OpenVehicles = createOpenVehicles();
  const sessions = { ...range, from: range.from - COUNTED_MAX_MS };
  let after: Place = { created_at: sessions.from, id: 0 };
  /** Sessions that were read; those before `next` are counted already. */
  let read: Stay[] = [];
  let next = 0;
  let isAll = false;
  return {
    async until(at) {
      read = read.slice(next);
      next = 0;
      while (!isAll && after.created_at <= at) {
        const rows = await sessionsAfter(db, sessions, { after, limit: PIECE_ROWS });
        for (const { created_at: began_ms, ended_at, name: zone, occupancy_max_hours } of rows) {
          const until_ms = Math.min(ended_at ?? Infinity, began_ms + occupancy_max_hours * HOUR_MS);
          read.push({ zone, began_ms, until_ms });
        }
        isAll = rows.length < PIECE_ROWS;
        after = rows.at(-1) ?? after;
      }
    },
    count(zone, at) {
      for (let stay = read[next]; stay !== undefined && stay.began_ms < at; stay = read[next]) {
        vehicles.add(stay);
        next += 1;
      }
      return vehicles.count(zone, at - 1);
    },
  };
}
