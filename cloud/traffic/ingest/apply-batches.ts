/**
 * Applies batches in one transaction: it loads what the batches need, plans in memory what they change, and writes that with the cursors
 * and uids. How many statements it takes does not depend on how many batches there are, of how many gateways, or how long they are.
 */
import { setImmediate as giveWay } from 'node:timers/promises';
import type { Clock } from '../../../shared/clock.js';
import { unique } from '../../../shared/grouping.js';
import { startWatch, type Tracer } from '../../../shared/tracer.js';
import type { BootClocks, CommandDispatcher } from '../../equipment/entry.js';
import type { Tx } from '../../kernel/store/entry.js';
import type { ConfigChanged } from '../../rest/entry.js';
import { endByLetOuts } from '../session/let-out-queries.js';
import type { IngestMeasurement } from './ingest-metrics.js';
import { keepNewestCursors, writeCursors } from './ingest-queries.js';
import { type BatchPart, partsOfBatches } from './load/batch-parts.js';
import { type BatchWork, type DueBatch, findDue, lockAndLoad } from './load/find-due.js';
import type { Known } from './known-queries.js';
import { loadFacts } from './load/load-facts.js';
import { emptyPlan, markStale } from './plan/batch-plan.js';
import type { DirectRecord } from './plan/context.js';
import { planPart } from './plan/plan-part.js';
import { applyDirectRecords } from './write/apply-direct.js';
import { writePlan } from './write/write-plan.js';

export interface BatchDeps {
  clock: Clock;
  bootClocks: BootClocks;
  /** 10 characters, A-Z and 0-9. */
  generatePublicId: () => string;
  commands: Pick<CommandDispatcher, 'applyResult' | 'applyOffer'>;
  configChanged: ConfigChanged;
  measurement: IngestMeasurement;
  /** null: nothing is traced. */
  tracer: Tracer | null;
}

export type BatchResult = Pick<DueBatch, 'cursor' | 'gap' | 'diverged'>;

/** Within so much time after its entry no vehicle is refused at an exit and let out there by a person. */
const OVERTAKEN_MS = 60_000;
/** How many parts are planned before others have the thread. */
const PLANNED_AT_ONCE = 8;

const NONE = { applied: 0, repeated: 0, early: 0, given_up: 0 };

/** Applies batches of any gateways, in their order. @returns the results in the order of the batches */
export async function applyBatches(deps: BatchDeps, tx: Tx, works: readonly BatchWork[]): Promise<BatchResult[]> {
  const { bootClocks, measurement } = deps;
  const now = deps.clock.now();
  const known = await lockAndLoad(tx, works);
  const { batches, moved } = findDue(known, works);
  for (const { key, repeated } of batches) {
    if (repeated > 0) tx.onCommit(() => measurement.committed({ lane: key.lane, ...NONE, repeated }));
  }
  const parts = await partsOfBatches(tx, known, { batches, bootClocks, now });
  if (parts.length > 0) await applyParts(deps, { tx, known }, { parts, now });
  await writeCursors(
    tx,
    moved.map(({ key, seq }) => ({ ...key, seq, updated_at: now })),
  );
  // Only a lane that begins adds a cursor.
  await keepNewestCursors(tx, unique(moved.flatMap(({ key, begins }) => (begins ? key.gateway_id : []))));
  return batches.map(({ cursor, gap, diverged }) => ({ cursor, gap, diverged }));
}

async function applyParts(
  deps: BatchDeps,
  { tx, known }: { tx: Tx; known: Known },
  { parts, now }: { parts: readonly BatchPart[]; now: number },
): Promise<void> {
  const { generatePublicId, commands } = deps;
  const { facts, memory } = await loadFacts(tx, known, parts);
  const took = startWatch(deps.clock);
  const plan = emptyPlan();
  const direct: DirectRecord[] = [];
  for (const [index, part] of parts.entries()) {
    if (index % PLANNED_AT_ONCE === PLANNED_AT_ONCE - 1) await giveWay();
    planPart({ part, facts, memory, plan, direct, now, generatePublicId });
  }
  await writePlan(tx, plan, now);
  await applyDirectRecords({ tx, commands }, direct);
  const late = plan.newSessions.flatMap(({ row }) =>
    row.ended_at === null && now - row.created_at > OVERTAKEN_MS ? [row] : [],
  );
  for (const lot_id of await endByLetOuts(tx, late, now)) markStale(plan, lot_id, 'sessions');
  const early = new Set([...plan.early.values()].flat().map(({ uid }) => uid));
  for (const part of parts) tx.onCommit(() => measureCommitted(deps, part, { early, took }));
  for (const [lot_id, sections] of plan.stale) tx.onCommit(() => deps.configChanged({ lot_id }, [...sections]));
}

/** Measures and traces what was committed. */
function measureCommitted(
  { measurement, tracer, clock }: BatchDeps,
  { sender, gateway, lane, due, records, givenUp: given_up }: BatchPart,
  { early: earlyUids, took }: { early: ReadonlySet<string>; took: ReturnType<typeof startWatch> },
): void {
  const early = due.filter(({ uid }) => earlyUids.has(uid)).length;
  measurement.committed({ lane, ...NONE, applied: Math.max(0, due.length - early - given_up), early, given_up });
  for (const { time } of records) measurement.lagged(lane, clock.now() - time.at_ms);
  for (const { uid, payload } of tracer === null ? [] : records) {
    if (payload.kind !== 'plate_read') continue;
    const lot = gateway === null ? {} : { lot_id: gateway.lot_id };
    tracer?.add({ uid, name: 'ingest transaction', ...took(), attributes: { gateway_id: sender.id, lane, ...lot } });
  }
}
