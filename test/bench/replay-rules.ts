/**
 * A replay of a million decisions by other rules, beside reading the same rows and doing nothing with them. `--decisions N`: of so many.
 */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { replay } from '../../cloud/traffic/access/replay.js';
import { type Place, type Range, readingsAfter } from '../../cloud/traffic/access/replay-queries.js';
import type { ReplayRules } from '../../cloud/traffic/access/replay-rules.js';
import type { CloudStore, Db } from '../../cloud/kernel/store/cloud-store.js';
import { encodeJson } from '../../shared/json-text-codec.js';
import { TARIFF_TRACE } from '../world/tariff-trace.js';
import { amount, newFolder, numberOption, printFigure, timed } from './harness.js';
import { BENCH_NOW_MS, fillSessions, openBenchStore, seedBenchDatabase } from './session-rows.js';

const DECISIONS = 1_000_000;
const PIECE_ROWS = 5_000;
const REACH = 6;
const LOT = { id: 1, account_id: 1, account: 'Bench', name: 'Lot 1' };
const RANGE: Range = { lot: LOT, from: 0, to: BENCH_NOW_MS + 24 * 3_600_000 };

/** Other rules than those that decided: the zone has a limit now, so that the vehicles are counted too. */
const RULES: ReplayRules = {
  offline_exit: 'open',
  cameras: new Map([
    [
      'cam-1',
      {
        lpr_position: 'in/out',
        debounce_ms: 15_000,
        direction_source: 'reported',
        min_confidence: 0,
        zone: 'Level 0',
        product: null,
        has_tariff: true,
        spot_count: 100,
      },
    ],
  ]),
  hasLimitedZones: true,
  isWhitelisted: () => false,
};

/** Each session has a reading of its entry, and most have one of their exit. */
function fillDecisions(path: string, decisions: number): void {
  fillSessions(path, { sessions: Math.ceil(decisions / 2), lot: '1' });
  const db = new Database(path);
  db.pragma('synchronous = OFF');
  const trace = db.prepare('UPDATE plate_readings SET decision_trace = ? WHERE direction = ?');
  trace.run(encodeJson(TARIFF_TRACE), 'in');
  trace.run(
    encodeJson({ ...TARIFF_TRACE, direction: 'out', rule: 'session_exit', own_session_age_ms: 3_600_000 }),
    'out',
  );
  db.prepare(
    `INSERT INTO deleted_lpr_cameras (id, account_id, lot_id, name, deleted_at, created_at, updated_at, zone_id, device_id, status, lpr_position)
     VALUES (1, 1, 1, 'Camera', 0, 0, 0, 1, 'cam-1', 'online', 'in/out')`,
  ).run();
  db.close();
}

async function readBare(db: Db): Promise<number> {
  let count = 0;
  for (let after: Place = { created_at: 0, id: 0 }; ; ) {
    const rows = await readingsAfter(db, RANGE, { after, limit: PIECE_ROWS });
    const last = rows.at(-1);
    if (last === undefined) return count;
    count += rows.length;
    after = last;
  }
}

async function compare(store: CloudStore): Promise<void> {
  const db = store.reader;
  const read = await readBare(db);
  const bareMs = await timed(() => readBare(db));
  let differing = 0;
  const startedMs = performance.now();
  const result = await replay(db, { range: RANGE, rules: RULES }, (differences) => {
    differing += differences.length;
  });
  const replayedMs = performance.now() - startedMs;
  const { readings, without_camera, without_facts } = result;
  if (readings !== read || without_camera + without_facts > 0)
    throw new Error(`not all was replayed: ${JSON.stringify({ ...result, read })}`);
  printFigure(
    `replay of ${readings} decisions by other rules, ${differing} of them differ`,
    amount(replayedMs / 1_000, '{} s', 1),
    amount(bareMs / 1_000, '{} s to read the same rows', 1),
    REACH,
  );
}

/** Runs the benchmark. */
export async function benchReplayRules(args: readonly string[]): Promise<void> {
  const decisions = numberOption(args, '--decisions', DECISIONS);
  if (!(decisions >= 2)) throw new Error('--decisions: at least 2');
  const path = join(newFolder(), 'cloud.db');
  await seedBenchDatabase(path);
  fillDecisions(path, decisions);
  const store = await openBenchStore(path);
  try {
    await compare(store);
  } finally {
    await store.close();
  }
}
