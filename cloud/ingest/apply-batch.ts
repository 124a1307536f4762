/** Applies batches in one transaction: it writes the cursors, the uids, what the records change, and the records that cannot be applied. */
import { setImmediate as giveWay } from 'node:timers/promises';
import type { GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import { startWatch } from '../../shared/tracer.js';
import { findGatewaysByUuid, type GatewayRow, lotsOfGateways } from '../gateway/gateway-queries.js';
import { LOCKS } from '../store/locks.js';
import { applyDirectRecords } from './apply-direct-records.js';
import { type FactsFor, loadFacts } from './batch-facts.js';
import { emptyPlan } from './batch-plan.js';
import { type BatchDeps, type BatchScope, timePlacer } from './batch-scope.js';
import {
  countEarlyRecordsOf,
  keepNewestCursors,
  knownUids,
  type LaneKey,
  readCursorsOf,
  writeCursors,
} from './ingest-queries.js';
import { type BatchPart, partsOfBatch } from './batch-parts.js';
import { unique } from './distinct.js';
import { type DueRecord, planDue } from './plan-batch.js';
import { parsePayload } from './plan-record.js';
import { UnusableRecord } from './unusable-record.js';
import type { WireBatch, WireRecord } from './wire-batch-parser.js';
import { writePlans } from './write-plan.js';

export interface BatchResult {
  cursor: number;
  gap: boolean;
  /** Seqs up to the cursor came with unknown uids: the gateway has another history. */
  diverged: boolean;
}

/** A batch of one gateway, as it came. */
export interface BatchWork {
  uuid: GatewayUuid;
  batch: WireBatch;
  /** By seq: why a record cannot be applied, if that is already known. */
  unusable: ReadonlyMap<number, string>;
  /** Bounded by gateway. */
  logger: Logger;
}

const NONE = { applied: 0, repeated: 0, early: 0, given_up: 0 };

/**
 * Applies batches of several gateways by the same few statements. Those of one gateway are applied one after the other.
 * @returns the results in the order of the batches
 */
export async function applyBatches(deps: BatchDeps, works: readonly BatchWork[]): Promise<BatchResult[]> {
  const results = new Map<BatchWork, BatchResult>();
  for (let left = works; left.length > 0; ) {
    const seen = new Set<GatewayUuid>();
    const firsts = left.filter(({ uuid }) => !seen.has(uuid) && seen.add(uuid));
    for (const [work, result] of await applyOfEach(deps, firsts)) results.set(work, result);
    left = left.filter((work) => !results.has(work));
  }
  return works.flatMap((work) => results.get(work) ?? []);
}

/** A batch on its way into the database. */
interface Applying {
  work: BatchWork;
  gateway: GatewayRow;
  key: LaneKey;
  before: number;
  found: ReturnType<typeof dueRecords>;
  /** What is still to be applied, part after part. */
  parts: BatchPart[];
}

/** @param works of different gateways */
async function applyOfEach(deps: BatchDeps, works: readonly BatchWork[]): Promise<[BatchWork, BatchResult][]> {
  const { tx } = deps;
  const now = deps.clock.now();
  const batches = await beginBatches(deps, works);
  while (batches.some(({ parts }) => parts.length > 0)) await applyParts(deps, nextParts(batches), now);
  const moved = batches.filter(({ found, before }) => found.cursor !== before);
  await writeCursors(
    tx,
    moved.map(({ key, found }) => ({ ...key, seq: found.cursor, updated_at: now })),
  );
  // Only a lane that begins adds a cursor.
  await keepNewestCursors(
    tx,
    moved.flatMap(({ gateway, before }) => (before === 0 ? gateway.id : [])),
  );
  return batches.map(({ work, found: { cursor, gap, diverged } }) => [work, { cursor, gap, diverged }]);
}

async function beginBatches(deps: BatchDeps, works: readonly BatchWork[]): Promise<Applying[]> {
  const { tx } = deps;
  const known = await findGatewaysByUuid(
    tx,
    works.map(({ uuid }) => uuid),
  );
  const begun = works.map((work) => {
    const gateway = known.get(work.uuid);
    if (gateway === undefined) throw new Error(`gateway ${work.uuid} is not known any more`);
    const { epoch, lane } = work.batch;
    return { work, gateway, key: { gateway_id: gateway.id, epoch, lane } };
  });
  const gateways = begun.map(({ gateway }) => gateway);
  await tx.lock(...gateways.map(({ id }) => LOCKS.ingest(id)));
  const cursorOf = await readCursorsOf(
    tx,
    begun.map(({ key }) => key),
  );
  const uids = await knownUids(tx, unique(works.flatMap(({ batch }) => batch.records.map(({ uid }) => uid))));
  const lots = await lotsOfGateways(tx, gateways);
  const batches: Applying[] = [];
  for (const { work, gateway, key } of begun) {
    const before = cursorOf(key);
    const found = dueRecords(uids, { before, ...work });
    tx.onCommit(() => deps.measurement?.committed({ lane: key.lane, ...NONE, repeated: found.repeated }));
    const parts = await partsOfBatch(tx, { gateway, lots: lots.get(gateway.id) ?? [], due: found.due });
    batches.push({ work, gateway, key, before, found, parts });
  }
  return batches;
}

type Part = Pick<Applying, 'work' | 'gateway' | 'key'> & BatchPart;

/** Takes the next part of each batch, but of each lot only one: what it changes has to be written before the next one is planned. */
function nextParts(batches: readonly Applying[]): Part[] {
  const lots = new Set<number>();
  return batches.flatMap(({ work, gateway, key, parts }) => {
    const [part] = parts;
    const lot_id = part?.place?.lot_id;
    if (part === undefined || (lot_id !== undefined && lots.has(lot_id))) return [];
    if (lot_id !== undefined) lots.add(lot_id);
    parts.shift();
    return [{ work, gateway, key, ...part }];
  });
}

/** How many batches are planned before others have the thread. */
const PLANNED_AT_ONCE = 8;

async function applyParts(deps: BatchDeps, parts: readonly Part[], now: number): Promise<void> {
  const { tx } = deps;
  const loaded = await loadFacts(
    tx,
    parts.map((part) => ({ ...part, records: recordsOf(deps, part, now) })),
  );
  const early = await countEarlyRecordsOf(tx, unique(parts.map(({ gateway }) => gateway.id)));
  const took = startWatch(deps.clock);
  const planned: (Pick<Applied, 'due' | 'records'> & { scope: BatchScope })[] = [];
  for (const [index, { work, gateway, key, place, facts, due, records }] of loaded.entries()) {
    if (index % PLANNED_AT_ONCE === PLANNED_AT_ONCE - 1) await giveWay();
    const { epoch, lane } = key;
    const [plan, earlyCount] = [emptyPlan(), early.get(gateway.id) ?? 0];
    const own = { ...deps, logger: work.logger };
    const scope: BatchScope = { deps: own, gateway, place, facts, plan, epoch, lane, now, earlyCount };
    for (const record of due) planDue(scope, record);
    planned.push({ scope, due, records });
  }
  await writePlans(
    tx,
    planned.map(({ scope }) => scope),
    now,
  );
  for (const { scope, due, records } of planned) {
    const refused = await applyDirectRecords(scope);
    tellCommitted(scope, { due, records, refused, took });
  }
}

/** What was applied of a part. */
interface Applied {
  due: readonly DueRecord[];
  /** Those of them that could be read. */
  records: readonly FactsFor[];
  refused: number;
  took: ReturnType<typeof startWatch>;
}

/** Measures and traces what was applied, and tells what became stale, once it is committed. */
function tellCommitted(
  { deps, gateway, place, plan, lane }: BatchScope,
  { due, records, refused, took }: Applied,
): void {
  const { tx, measurement, tracer, clock } = deps;
  const lot_id = place?.lot_id ?? null;
  const early = plan.early.length;
  const given_up = plan.deadLetters.length + refused;
  tx.onCommit(() => {
    measurement?.committed({ lane, ...NONE, applied: Math.max(0, due.length - early - given_up), early, given_up });
    for (const { time } of records) measurement?.lagged(lane, clock.now() - time.at_ms);
    for (const { uid, payload } of tracer === undefined ? [] : records) {
      if (payload.kind !== 'plate_read') continue;
      const attributes = { gateway_id: gateway.id, lane, ...(lot_id === null ? {} : { lot_id }) };
      tracer?.add({ uid, name: 'ingest transaction', ...took(), attributes });
    }
  });
  if (plan.stale.size > 0) tx.onCommit(() => deps.configChanged({ lot_id }, [...plan.stale]));
}

/**
 * Finds the records that follow the cursor without a gap and did not come in an earlier outbox epoch, and the cursor after them.
 * @param known the uids that came before; those of the batch are added
 */
function dueRecords(
  known: Set<string>,
  work: { before: number; batch: WireBatch; unusable: ReadonlyMap<number, string> },
): { due: DueRecord[]; repeated: number; cursor: number; gap: boolean; diverged: boolean } {
  let cursor = work.before;
  const { records } = work.batch;
  const due: DueRecord[] = [];
  // A repeat has the same uids as before; a record that cannot be read has none to compare.
  if (records.some(({ seq, uid }) => seq <= cursor && uid !== '' && !known.has(uid))) {
    return { due, repeated: 0, cursor, gap: false, diverged: true };
  }
  const pending = records.filter(({ seq }) => seq > cursor);
  let repeated = records.length - pending.length;
  for (const wire of pending) {
    if (wire.seq <= cursor) continue;
    // A gap stops the batch even if the gateway said that records are lost: it then numbers anew, so no record that still comes is skipped.
    if (wire.seq > cursor + 1) return { due, repeated, cursor, gap: true, diverged: false };
    cursor = wire.seq;
    if (known.has(wire.uid)) {
      repeated += 1;
      continue;
    }
    if (wire.uid !== '') known.add(wire.uid);
    due.push({ wire, read: readRecord(wire, work.unusable.get(wire.seq)) });
  }
  return { due, repeated, cursor, gap: false, diverged: false };
}

function readRecord({ parsed }: WireRecord, problem: string | undefined): DueRecord['read'] {
  if (problem !== undefined) return { problem };
  if ('problem' in parsed) return parsed;
  try {
    return { record: parsed.record, payload: parsePayload(parsed.record.payload) };
  } catch (error) {
    if (error instanceof UnusableRecord) return { problem: error.message };
    throw error;
  }
}

/** The records of a part that could be read, with what their facts are looked up by. */
function recordsOf(deps: BatchDeps, { gateway, due }: Part, now: number): FactsFor[] {
  return due.flatMap(({ read }) => {
    if ('problem' in read) return [];
    const { record, payload } = read;
    const isRead = payload.kind === 'plate_read' || payload.kind === 'plate_refined';
    const event_ms = isRead ? payload.reading.event_ms : record.wall_ms;
    // The time of a refinement is that of its reading, which was judged.
    const time_source = payload.kind === 'plate_read' ? payload.reading.time_source : 'device';
    const time = timePlacer(deps, gateway, { record, now })(event_ms, time_source);
    return [{ uid: record.uid, payload, time }];
  });
}
