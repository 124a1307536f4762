/** Applies batches in one transaction: it writes the cursors, the uids, what the records change, and the records that cannot be applied. */
import { setImmediate as giveWay } from 'node:timers/promises';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { startWatch } from '../../../shared/tracer.js';
import { type Lock, LOCKS, type Tx } from '../../kernel/entry.js';
import { applyDirectRecords } from './apply-direct-records.js';
import { decidedReadOf, type FactsFor, loadFacts, uidsNamedBy } from './batch-facts.js';
import { partsOfBatches } from './batch-parts.js';
import { emptyPlan } from './batch-plan.js';
import { type BatchDeps, type BatchScope, timePlacer } from './batch-scope.js';
import { unique } from './distinct.js';
import { keepNewestCursors, type LaneKey, laneText, writeCursors } from './ingest-queries.js';
import { type Known, loadKnown, type Sender } from './known-queries.js';
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

/** A batch of one gateway, as it came. */
export interface BatchWork {
  uuid: GatewayUuid;
  /** As it was when the batch came. */
  gateway: Pick<Sender, 'id' | 'lot_id'>;
  batch: WireBatch;
  /** By seq: why a record cannot be applied, if that is already known. */
  unusable: ReadonlyMap<number, string>;
  /** Bounded by gateway. */
  logger: Logger;
}

const NONE = { applied: 0, repeated: 0, early: 0, given_up: 0 };

/** A batch on its way into the database. */
interface Applying {
  work: BatchWork;
  gateway: Sender;
  key: LaneKey;
  found: ReturnType<typeof dueRecords>;
}

/**
 * Applies batches of any gateways, in their order, as one plan: how many statements that takes does not depend on how many batches there
 * are, of how many gateways, or how long they are.
 * @returns the results in the order of the batches
 */
export async function applyBatches(deps: BatchDeps, works: readonly BatchWork[]): Promise<BatchResult[]> {
  const { tx } = deps;
  const now = deps.clock.now();
  const incoming = works.map((work) => ({ work, reads: work.batch.records.map((wire) => readRecord(work, wire)) }));
  const known = await lockAndLoad(tx, incoming);
  const { batches, moved } = findDue(known, incoming);
  for (const { key, found } of batches) {
    if (found.repeated === 0) continue;
    tx.onCommit(() => deps.measurement?.committed({ lane: key.lane, ...NONE, repeated: found.repeated }));
  }
  await applyDue(deps, { known, batches, now });
  const cursors = [...moved.values()];
  await writeCursors(
    tx,
    cursors.map(({ key, seq }) => ({ ...key, seq, updated_at: now })),
  );
  // Only a lane that begins adds a cursor.
  await keepNewestCursors(tx, unique(cursors.flatMap(({ key, begins }) => (begins ? key.gateway_id : []))));
  return batches.map(({ found: { cursor, gap, diverged } }) => ({ cursor, gap, diverged }));
}

interface Incoming {
  work: BatchWork;
  /** The records as they can be read, in the order of the batch. */
  reads: DueRecord['read'][];
}

/**
 * Locks what the batches change, and then reads what they are compared with. A gateway that was moved or claimed anew since its batch came
 * has other locks, which are acquired once they are known.
 */
async function lockAndLoad(tx: Tx, incoming: readonly Incoming[]): Promise<Known> {
  const works = incoming.map(({ work }) => work);
  const locks = incoming.flatMap(({ work: { gateway }, reads }) => locksOf(gateway, reads, []));
  await tx.lock(...locks);
  const uids = incoming.flatMap(({ work, reads }) => [
    ...work.batch.records.flatMap(({ uid }) => (uid === '' ? [] : uid)),
    ...reads.flatMap((read) => ('payload' in read ? uidsNamedBy(read.payload) : [])),
  ]);
  const wanted = {
    uuids: unique(works.map(({ uuid }) => uuid)),
    epochs: unique(works.map(({ batch }) => batch.epoch)),
    uids: unique(uids),
  };
  const known = await loadKnown(tx, wanted);
  const held = new Set(locks.map(({ name }) => name));
  const more = incoming.flatMap(({ work: { uuid }, reads }) => {
    const gateway = known.senders.get(uuid);
    return gateway === undefined ? [] : locksOf(gateway, reads, known.lots.get(gateway.id) ?? []);
  });
  if (more.every(({ name }) => held.has(name))) return known;
  await tx.lock(...more);
  return loadKnown(tx, wanted);
}

/** @param lots that the gateway is or was in, as far as that is known */
function locksOf(gateway: Pick<Sender, 'id' | 'lot_id'>, reads: Incoming['reads'], lots: readonly number[]): Lock[] {
  const hasRead = reads.some((read) => 'payload' in read && decidedReadOf(read.payload) !== null);
  const ofReads = hasRead ? unique([...(gateway.lot_id === null ? [] : [gateway.lot_id]), ...lots]) : [];
  return [LOCKS.ingest(gateway.id), ...ofReads.map(LOCKS.openSessions)];
}

/** Finds the due records of each batch, and how far each lane moves: a later batch of a lane goes on where the one before ends. */
function findDue(
  known: Known,
  incoming: readonly Incoming[],
): { batches: Applying[]; moved: Map<string, { key: LaneKey; seq: number; begins: boolean }> } {
  const moved = new Map<string, { key: LaneKey; seq: number; begins: boolean }>();
  const batches = incoming.map(({ work, reads }) => {
    const gateway = known.senders.get(work.uuid);
    if (gateway === undefined) throw new Error(`gateway ${work.uuid} is not known any more`);
    const { epoch, lane } = work.batch;
    const key = { gateway_id: gateway.id, epoch, lane };
    const stored = known.cursorOf(key);
    const before = moved.get(laneText(key))?.seq ?? stored;
    const found = dueRecords(known.uids, { before, batch: work.batch, reads });
    if (found.cursor !== before) moved.set(laneText(key), { key, seq: found.cursor, begins: stored === 0 });
    return { work, gateway, key, found };
  });
  return { batches, moved };
}

/** How many parts are planned before others have the thread. */
const PLANNED_AT_ONCE = 8;

/** A part of a batch, planned. */
interface Planned {
  scope: BatchScope;
  due: readonly DueRecord[];
  /** Those of them that could be read. */
  records: readonly FactsFor[];
}

async function applyDue(
  deps: BatchDeps,
  { known, batches, now }: { known: Known; batches: readonly Applying[]; now: number },
): Promise<void> {
  const { tx } = deps;
  const cut = await partsOfBatches(
    tx,
    known,
    batches.map(({ gateway, found: { due } }) => ({ gateway, due })),
  );
  const parts = batches.flatMap((batch, index) =>
    (cut[index] ?? []).flatMap(({ place, due }) =>
      due.length === 0 ? [] : [{ ...batch, place, due, records: recordsOf(deps, batch.gateway, { due, now }) }],
    ),
  );
  if (parts.length === 0) return;
  const facts = await loadFacts(tx, known, parts);
  const took = startWatch(deps.clock);
  const plan = emptyPlan();
  const planned: Planned[] = [];
  for (const [index, { work, gateway, key, place, due, records }] of parts.entries()) {
    if (index % PLANNED_AT_ONCE === PLANNED_AT_ONCE - 1) await giveWay();
    const { epoch, lane } = key;
    const own = { ...deps, logger: work.logger };
    const scope: BatchScope = { deps: own, gateway, place, facts, plan, direct: [], givenUp: 0, epoch, lane, now };
    for (const record of due) planDue(scope, record);
    planned.push({ scope, due, records });
  }
  await writePlan(tx, plan, now);
  for (const { scope } of planned) await applyDirectRecords(scope);
  const early = new Set([...plan.early.values()].flat().map(({ uid }) => uid));
  for (const part of planned) tellCommitted(part, early, took);
  for (const [lot_id, sections] of plan.stale) tx.onCommit(() => deps.configChanged({ lot_id }, [...sections]));
}

/** Measures and traces what was applied, once it is committed. */
function tellCommitted(
  { scope: { deps, gateway, place, lane, givenUp: given_up }, due, records }: Planned,
  earlyUids: ReadonlySet<string>,
  took: ReturnType<typeof startWatch>,
): void {
  const { tx, measurement, tracer, clock } = deps;
  const lot_id = place?.lot_id ?? null;
  const early = due.filter(({ wire }) => earlyUids.has(wire.uid)).length;
  tx.onCommit(() => {
    measurement?.committed({ lane, ...NONE, applied: Math.max(0, due.length - early - given_up), early, given_up });
    for (const { time } of records) measurement?.lagged(lane, clock.now() - time.at_ms);
    for (const { uid, payload } of tracer === undefined ? [] : records) {
      if (payload.kind !== 'plate_read') continue;
      const attributes = { gateway_id: gateway.id, lane, ...(lot_id === null ? {} : { lot_id }) };
      tracer?.add({ uid, name: 'ingest transaction', ...took(), attributes });
    }
  });
}

/**
 * Finds the records that follow the cursor without a gap and did not come in an earlier outbox epoch, and the cursor after them.
 * @param known the uids that came before; those of the batch are added
 */
function dueRecords(
  known: Set<string>,
  { before, batch: { records }, reads }: { before: number; batch: WireBatch; reads: Incoming['reads'] },
): { due: DueRecord[]; repeated: number; cursor: number; gap: boolean; diverged: boolean } {
  let cursor = before;
  const due: DueRecord[] = [];
  // A repeat has the same uids as before; a record that cannot be read has none to compare.
  if (records.some(({ seq, uid }) => seq <= cursor && uid !== '' && !known.has(uid))) {
    return { due, repeated: 0, cursor, gap: false, diverged: true };
  }
  let repeated = records.filter(({ seq }) => seq <= before).length;
  for (const [index, wire] of records.entries()) {
    if (wire.seq <= cursor) continue;
    // A gap stops the batch even if the gateway said that records are lost: it then numbers anew, so no record that still comes is skipped.
    if (wire.seq > cursor + 1) return { due, repeated, cursor, gap: true, diverged: false };
    cursor = wire.seq;
    if (known.has(wire.uid)) {
      repeated += 1;
      continue;
    }
    if (wire.uid !== '') known.add(wire.uid);
    due.push({ wire, read: reads[index] ?? { problem: 'not read' } });
  }
  return { due, repeated, cursor, gap: false, diverged: false };
}

function readRecord({ unusable }: BatchWork, { seq, parsed }: WireRecord): DueRecord['read'] {
  const problem = unusable.get(seq);
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
function recordsOf(
  deps: BatchDeps,
  gateway: Sender,
  { due, now }: { due: readonly DueRecord[]; now: number },
): FactsFor[] {
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
