/** Applies a batch in one transaction: it writes the cursor, the uids, what the records change, and the records that cannot be applied. */
import type { GatewayUuid } from '../../shared/ids.js';
import { startWatch } from '../../shared/tracer.js';
import type { RecordPayload, UplinkRecord } from '../../shared/uplink.js';
import { findGatewayByUuid } from '../gateway/gateway-queries.js';
import type { Db } from '../store/cloud-store.js';
import { LOCKS } from '../store/locks.js';
import { applyDirectRecords } from './apply-direct-records.js';
import { type FactsFor, loadFacts } from './batch-facts.js';
import { emptyPlan } from './batch-plan.js';
import { type BatchDeps, type BatchScope, timePlacer } from './batch-scope.js';
import { countEarlyRecords, keepNewestCursors, knownUids, readCursor, writeCursor } from './ingest-queries.js';
import { type BatchPart, partsOfBatch } from './batch-parts.js';
import { type DueRecord, planDue } from './plan-batch.js';
import { parsePayload } from './plan-record.js';
import { UnusableRecord } from './unusable-record.js';
import type { WireBatch, WireRecord } from './wire-batch-parser.js';
import { writePlan } from './write-plan.js';

export interface BatchResult {
  cursor: number;
  gap: boolean;
  /** Seqs up to the cursor came with unknown uids: the gateway has another history. */
  diverged: boolean;
}

const NONE = { applied: 0, repeated: 0, early: 0, given_up: 0 };

/** @param work.unusable by seq: why a record cannot be applied, if that is already known */
export async function applyBatch(
  deps: BatchDeps,
  work: { uuid: GatewayUuid; batch: WireBatch; unusable: ReadonlyMap<number, string> },
): Promise<BatchResult> {
  const { tx } = deps;
  const { epoch, lane } = work.batch;
  const now = deps.clock.now();
  const gateway = await findGatewayByUuid(tx, work.uuid);
  if (gateway === undefined) throw new Error(`gateway ${work.uuid} is not known any more`);
  await tx.lock(LOCKS.ingest(gateway.id));
  const key = { gateway_id: gateway.id, epoch, lane };
  const before = await readCursor(tx, key);
  const { due, repeated, cursor, gap, diverged } = await dueRecords(tx, { before, ...work });

  tx.onCommit(() => deps.measurement?.committed({ lane, ...NONE, repeated }));
  for (const part of await partsOfBatch(tx, gateway, due)) await applyPart(deps, { gateway, part, epoch, lane, now });
  if (cursor !== before) await writeCursor(tx, { ...key, seq: cursor, updated_at: now });
  // Only a lane that begins adds a cursor.
  if (cursor !== before && before === 0) await keepNewestCursors(tx, gateway.id);
  return { cursor, gap, diverged };
}

async function applyPart(
  deps: BatchDeps,
  work: Pick<BatchScope, 'gateway' | 'epoch' | 'lane' | 'now'> & { part: BatchPart },
): Promise<void> {
  const { tx } = deps;
  const { gateway, epoch, lane, now } = work;
  const { place, due } = work.part;
  const { account_id } = gateway;
  const lot_id = place?.lot_id ?? null;
  const named = due.flatMap(({ read }) => ('problem' in read ? [] : [factsFor(deps, gateway, { ...read, now })]));
  const facts = await loadFacts(tx, place ?? { id: gateway.id, account_id, lot_id: 0 }, place === null ? [] : named);
  const plan = emptyPlan();
  const watch = startWatch(deps.clock);
  const earlyCount = await countEarlyRecords(tx, gateway.id);
  const scope: BatchScope = { deps, gateway, place, facts, plan, epoch, lane, now, earlyCount };
  for (const record of due) planDue(scope, record);
  await writePlan(tx, plan, { gateway_id: gateway.id, account_id, lot_id, now });
  const refused = await applyDirectRecords(scope);
  const early = plan.early.length;
  const given_up = plan.deadLetters.length + refused;
  tx.onCommit(() => {
    deps.measurement?.committed({
      lane,
      ...NONE,
      applied: Math.max(0, due.length - early - given_up),
      early,
      given_up,
    });
    for (const { time } of named) deps.measurement?.lagged(lane, deps.clock.now() - time.at_ms);
    for (const { uid, payload } of deps.tracer === undefined ? [] : named) {
      if (payload.kind !== 'plate_read') continue;
      const attributes = { gateway_id: gateway.id, lane, ...(lot_id === null ? {} : { lot_id }) };
      deps.tracer?.add({ uid, name: 'ingest transaction', ...watch(), attributes });
    }
  });
  if (plan.stale.size > 0) tx.onCommit(() => deps.configChanged({ lot_id }, [...plan.stale]));
}

/** Finds the records that follow the cursor without a gap and did not come in an earlier outbox epoch, and the cursor after them. */
async function dueRecords(
  tx: Db,
  work: { before: number; batch: WireBatch; unusable: ReadonlyMap<number, string> },
): Promise<{ due: DueRecord[]; repeated: number; cursor: number; gap: boolean; diverged: boolean }> {
  let cursor = work.before;
  const { records } = work.batch;
  const known = await knownUids(tx, [...new Set(records.map(({ uid }) => uid))]);
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

function factsFor(
  deps: BatchDeps,
  gateway: { id: number },
  read: { record: UplinkRecord; payload: RecordPayload; now: number },
): FactsFor {
  const { record, payload } = read;
  const isRead = payload.kind === 'plate_read' || payload.kind === 'plate_refined';
  const event_ms = isRead ? payload.reading.event_ms : record.wall_ms;
  return { uid: record.uid, payload, time: timePlacer(deps, gateway, read)(event_ms) };
}
