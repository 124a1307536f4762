/** One batch in one transaction: cursor, uids, what the records change, and what becomes of those that cannot be applied. */
import type { Clock } from '../../shared/clock.js';
import type { ConfigSection } from '../../shared/gateway-config.js';
import type { GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import {
  uplinkRecordSchema,
  type Epoch,
  type Lane,
  type RecordPayload,
  type UplinkRecord,
} from '../../shared/uplink.js';
import type { CommandDispatcher } from '../command/command-dispatcher.js';
import type { TakenStep } from '../command/command-steps.js';
import type { BootClocks } from '../gateway/boot-clocks.js';
import type { Db, EventRecorder } from '../store/cloud-store.js';
import { findGatewayByUuid, type GatewayRow } from '../store/queries/gateways.js';
import { countParked, insertDeadLetters, knownUids, readCursor, writeCursor } from '../store/queries/ingest.js';
import { loadFacts, type BatchFacts, type FactsFor, type IngestGateway } from './batch-facts.js';
import { applyDirect, isDirect } from './apply-direct.js';
import { emptyPlan, RecordTooEarly, UnusableRecord, type BatchPlan } from './batch-plan.js';
import { decideEventTime } from './decide-event-time.js';
import { deadLetterText, parkedText, readParked } from './kept-record-codec.js';
import type { PlanContext } from './plan-context.js';
import type { RecordContext } from './record-context.js';
import { parsePayload, planRecord } from './plan-record.js';
import type { NewRow } from '../store/schema.js';
import type { WireBatch, WireRecord } from './wire-batch-parser.js';
import { writePlan } from './write-plan.js';

export interface BatchDeps {
  tx: Db;
  events: EventRecorder;
  clock: Clock;
  logger: Logger;
  bootClocks: BootClocks;
  makePublicId: () => string;
  commands: Pick<CommandDispatcher, 'takeResult' | 'takeOffer'>;
}

export interface BatchResult {
  cursor: number;
  gap: boolean;
  /** Seqs up to the cursor came with uids that were never taken: the gateway's history is another one. */
  diverged: boolean;
  lot_id: number | null;
  dirty: Set<ConfigSection>;
  commandSteps: TakenStep[];
}

const PARKED_MAX = 1_000;

/** A record that follows the cursor and is new, with its payload if it can be read at all. */
interface DueRecord {
  wire: WireRecord;
  read: { record: UplinkRecord; payload: RecordPayload } | { problem: string };
}

interface BatchScope {
  deps: BatchDeps;
  gateway: GatewayRow;
  /** null: in no lot. */
  place: IngestGateway | null;
  facts: BatchFacts;
  plan: BatchPlan;
  epoch: Epoch;
  lane: Lane;
  now: number;
  /** How many records of the gateway wait for others. */
  parkedCount: number;
  commandSteps: TakenStep[];
}

/** @param work.unusable seq -> why a record cannot be applied, as far as it was found before */
export async function applyBatch(
  deps: BatchDeps,
  work: { uuid: GatewayUuid; batch: WireBatch; unusable: ReadonlyMap<number, string> },
): Promise<BatchResult> {
  const { tx } = deps;
  const { epoch, lane } = work.batch;
  const now = deps.clock.now();
  const gateway = await findGatewayByUuid(tx, work.uuid);
  if (gateway === undefined) throw new Error(`gateway ${work.uuid} is not known any more`);
  const { account_id, lot_id } = gateway;
  const key = { gateway_id: gateway.id, epoch, lane };
  const before = await readCursor(tx, key);
  const { due, cursor, gap, diverged } = await dueRecords(tx, { before, ...work });

  const place = lot_id === null ? null : { id: gateway.id, account_id, lot_id };
  const named = due.flatMap(({ read }) => ('problem' in read ? [] : [factsFor(deps, gateway, { ...read, now })]));
  const facts = await loadFacts(tx, place ?? { id: gateway.id, account_id, lot_id: 0 }, place === null ? [] : named);
  const plan = emptyPlan();
  const parkedCount = await countParked(tx, gateway.id);
  const scope: BatchScope = { deps, gateway, place, facts, plan, epoch, lane, now, parkedCount, commandSteps: [] };
  for (const record of due) planDue(scope, record);
  await writePlan(deps, plan, { gateway_id: gateway.id, account_id, lot_id, now });
  await applyDirectRecords(scope);
  if (cursor !== before) await writeCursor(tx, { ...key, seq: cursor, updated_at: now });
  return { cursor, gap, diverged, lot_id, dirty: plan.dirty, commandSteps: scope.commandSteps };
}

/** The records that follow the cursor without a gap and were not taken in an earlier epoch; and where the cursor is after them. */
async function dueRecords(
  tx: Db,
  work: { before: number; batch: WireBatch; unusable: ReadonlyMap<number, string> },
): Promise<{ due: DueRecord[]; cursor: number; gap: boolean; diverged: boolean }> {
  let cursor = work.before;
  const { records } = work.batch;
  const known = await knownUids(tx, [...new Set(records.map(({ uid }) => uid))]);
  const due: DueRecord[] = [];
  // A repeat brings the uids it brought before; one that cannot be read has none to compare.
  if (records.some(({ seq, uid }) => seq <= cursor && uid !== '' && !known.has(uid))) {
    return { due, cursor, gap: false, diverged: true };
  }
  const pending = records.filter(({ seq }) => seq > cursor);
  for (const wire of pending) {
    if (wire.seq <= cursor) continue;
    // Also where the gateway told that records are lost: it numbers anew then, and nothing is passed over that still comes.
    if (wire.seq > cursor + 1) return { due, cursor, gap: true, diverged: false };
    cursor = wire.seq;
    if (known.has(wire.uid)) continue;
    if (wire.uid !== '') known.add(wire.uid);
    due.push({ wire, read: readRecord(wire, work.unusable.get(wire.seq)) });
  }
  return { due, cursor, gap: false, diverged: false };
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

function timePlacer(
  { bootClocks }: BatchDeps,
  gateway: { id: number },
  { record, now }: { record: UplinkRecord; now: number },
): PlanContext['placeTime'] {
  const facts = {
    clock_ok: record.clock_ok,
    mono_ms: record.mono_ms,
    boot_began_ms: bootClocks.beganMs(gateway.id, record.boot_id),
    present_boot_began_ms: bootClocks.presentBeganMs(gateway.id),
    cloud_ms: now,
  };
  return (event_ms) => decideEventTime({ ...facts, event_ms });
}

/** Plans a record, or what becomes of it instead. */
function planDue(scope: BatchScope, { wire, read }: DueRecord): void {
  const { plan } = scope;
  try {
    if ('problem' in read) throw new UnusableRecord(read.problem);
    planNow(scope, read.record, read.payload);
    plan.taken.add(wire.uid);
  } catch (error) {
    if (error instanceof UnusableRecord) giveUpDue(scope, wire, error.message);
    else if (error instanceof RecordTooEarly && 'record' in read) park(scope, { wire, record: read.record, error });
    else throw error;
  }
}

function planNow(scope: BatchScope, record: UplinkRecord, payload: RecordPayload): void {
  const { deps, plan, gateway, epoch, now } = scope;
  if (payload.kind === 'lost') {
    const { lane, from, to } = payload;
    deps.logger.warn({ gateway_id: gateway.id, lane, from, to }, 'a gateway gave up records at its bounds');
    plan.lost.push({ gateway_id: gateway.id, epoch, lane, from_seq: from, to_seq: to, created_at: now });
    return;
  }
  if (scope.place === null) throw new UnusableRecord('the gateway is in no lot');
  if (isDirect(payload)) {
    plan.direct.push({ record, payload });
    return;
  }
  const context: PlanContext = {
    gateway: scope.place,
    facts: scope.facts,
    plan,
    record,
    now,
    placeTime: timePlacer(deps, gateway, { record, now }),
    makePublicId: deps.makePublicId,
  };
  planRecord(context, payload);
  planParked(scope, record.uid);
}

/** Records of the plan that ask the database themselves; one that turns out to be unusable has written nothing. */
async function applyDirectRecords({
  deps,
  place,
  plan,
  gateway,
  epoch,
  lane,
  now,
  commandSteps,
}: BatchScope): Promise<void> {
  if (place === null) return;
  const { tx, events } = deps;
  for (const { record, payload } of plan.direct) {
    const placeTime = timePlacer(deps, gateway, { record, now });
    try {
      const context: RecordContext = {
        tx,
        events,
        gateway: place,
        record,
        now,
        placeTime,
        dirty: plan.dirty,
        commandSteps,
        takePairingOffer: (offer) => deps.commands.takeOffer({ tx, events }, { gateway_id: gateway.id, record: offer }),
        takeCommandResult: (result) => deps.commands.takeResult({ tx, events }, { gateway_id: gateway.id, ...result }),
      };
      await applyDirect(context, payload);
    } catch (error) {
      if (!(error instanceof UnusableRecord)) throw error;
      const letter = deadLetter({ deps, gateway, now }, { ...record, raw: record, epoch, lane, reason: error.message });
      await insertDeadLetters(tx, [letter]);
    }
  }
}

/** Plans what waited for a uid that has come: in the database, or since earlier in this batch. */
function planParked(scope: BatchScope, uid: string): void {
  const { plan, facts } = scope;
  const early = plan.parked.filter(({ waits_for_uid }) => waits_for_uid === uid);
  plan.parked = plan.parked.filter((row) => !early.includes(row));
  const waiting = facts.parked.get(uid) ?? [];
  plan.unparked.push(...waiting.map((row) => row.uid));
  for (const row of [...waiting, ...early]) {
    const parked = readParked(row.record);
    try {
      const record = uplinkRecordSchema.parse(parked.record);
      planNow(scope, record, parsePayload(record.payload));
    } catch (error) {
      // Too early again: it names a uid that the one it waited for did not announce.
      if (!(error instanceof UnusableRecord) && !(error instanceof RecordTooEarly)) throw error;
      const { epoch, lane } = parked;
      giveUp(scope, { uid: row.uid, seq: parked.record.seq, raw: parked.record, epoch, lane, reason: error.message });
    }
  }
}

function park(scope: BatchScope, early: { wire: WireRecord; record: UplinkRecord; error: RecordTooEarly }): void {
  const { plan, gateway, epoch, lane, now } = scope;
  const { waits_for_uid } = early.error;
  if (scope.parkedCount + plan.parked.length >= PARKED_MAX) {
    giveUpDue(scope, early.wire, `waits for ${waits_for_uid}, as ${PARKED_MAX} others do already`);
    return;
  }
  const record = parkedText({ epoch, lane, record: early.record });
  plan.parked.push({ uid: early.record.uid, gateway_id: gateway.id, waits_for_uid, record, created_at: now });
  plan.taken.add(early.record.uid);
}

/** Its uid counts as taken: a repeat of it is no new record, and no other history. */
function giveUpDue(scope: BatchScope, wire: WireRecord, reason: string): void {
  giveUp(scope, { ...wire, epoch: scope.epoch, lane: scope.lane, reason });
  if (wire.uid !== '') scope.plan.taken.add(wire.uid);
}

interface GivenUp {
  uid: string;
  seq: number;
  raw: unknown;
  epoch: Epoch;
  lane: Lane;
  reason: string;
}

function giveUp(scope: BatchScope, given: GivenUp): void {
  scope.plan.deadLetters.push(deadLetter(scope, given));
}

function deadLetter(
  { deps, gateway, now }: Pick<BatchScope, 'deps' | 'gateway' | 'now'>,
  { uid, seq, raw, epoch, lane, reason }: GivenUp,
): NewRow<'dead_letters'> {
  deps.logger.error({ gateway_id: gateway.id, epoch, lane, seq, uid, reason }, 'record given up');
  return { gateway_id: gateway.id, epoch, lane, seq, uid, reason, payload: deadLetterText(raw), created_at: now };
}
