/** One batch in one transaction: cursor, uids, what the records change, and what becomes of those that cannot be applied. */
import type { Clock } from '../../shared/clock.js';
import type { ConfigSection } from '../../shared/gateway-config.js';
import type { GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import { uplinkRecordSchema, type Epoch, type Lane, type UplinkRecord } from '../../shared/uplink.js';
import type { CommandDispatcher } from '../command/command-dispatcher.js';
import type { TakenStep } from '../command/command-steps.js';
import type { BootClocks } from '../gateway/boot-clocks.js';
import type { Db, EventRecorder } from '../store/cloud-store.js';
import { findGatewayByUuid } from '../store/queries/gateways.js';
import {
  countParked,
  insertDeadLetter,
  insertLost,
  insertParked,
  knownUids,
  lostUpTo,
  readCursor,
  rememberUids,
  takeParked,
  writeCursor,
} from '../store/queries/ingest.js';
import { applyRecord, parsePayload } from './apply-record.js';
import { decideEventTime } from './decide-event-time.js';
import { deadLetterText, parkedText, readParked } from './kept-record-codec.js';
import { RecordTooEarly, UnusableRecord, type IngestGateway, type RecordContext } from './record-context.js';
import type { WireBatch, WireRecord } from './wire-batch-parser.js';

export interface BatchDeps {
  tx: Db;
  events: EventRecorder;
  clock: Clock;
  logger: Logger;
  bootClocks: BootClocks;
  makePublicId: () => string;
  commands: Pick<CommandDispatcher, 'takeResult'>;
}

export interface BatchResult {
  cursor: number;
  gap: boolean;
  lot_id: number | null;
  dirty: Set<ConfigSection>;
  commandSteps: TakenStep[];
}

/** A record failed for no reason it gave itself; the transaction is undone. */
export class RecordFailure extends Error {
  readonly seq: number;

  constructor(seq: number, cause: unknown) {
    super(`record ${seq} could not be applied`, { cause });
    this.name = 'RecordFailure';
    this.seq = seq;
  }
}

const PARKED_MAX = 1_000;

interface BatchScope {
  deps: BatchDeps;
  gateway: { id: number; account_id: number; lot_id: number | null };
  epoch: Epoch;
  lane: Lane;
  now: number;
  dirty: Set<ConfigSection>;
  commandSteps: TakenStep[];
}

export async function applyBatch(
  deps: BatchDeps,
  work: { uuid: GatewayUuid; batch: WireBatch; unusable: ReadonlyMap<number, string> },
): Promise<BatchResult> {
  const { tx } = deps;
  const { epoch, lane, records } = work.batch;
  const gateway = await findGatewayByUuid(tx, work.uuid);
  if (gateway === undefined) throw new Error(`gateway ${work.uuid} is not known any more`);
  const key = { gateway_id: gateway.id, epoch, lane };
  const now = deps.clock.now();
  const scope: BatchScope = { deps, gateway, epoch, lane, now, dirty: new Set(), commandSteps: [] };

  const before = await readCursor(tx, key);
  let cursor = before;
  let gap = false;
  const pending = records.filter(({ seq }) => seq > cursor);
  const known = await knownUids(tx, [...new Set(pending.map(({ uid }) => uid))]);
  const fresh = new Set<string>();
  for (const each of pending) {
    if (each.seq <= cursor) continue;
    // What the gateway told as lost is skipped when it is met, not when it is told: nothing may be skipped that still comes.
    if (each.seq > cursor + 1) cursor = Math.min(await lostUpTo(tx, key, cursor + 1), each.seq - 1);
    if (each.seq > cursor + 1) {
      gap = true;
      break;
    }
    cursor = each.seq;
    if (known.has(each.uid) || fresh.has(each.uid)) continue;
    const taken = await takeRecord(scope, each, work.unusable.get(each.seq)).catch((error: unknown) => {
      throw new RecordFailure(each.seq, error);
    });
    if (taken) fresh.add(each.uid);
  }
  await rememberUids(
    tx,
    [...fresh].map((uid) => ({ uid, gateway_id: gateway.id, created_at: now })),
  );
  if (cursor !== before) await writeCursor(tx, { ...key, seq: cursor, updated_at: now });
  const { dirty, commandSteps } = scope;
  return { cursor, gap, lot_id: gateway.lot_id, dirty, commandSteps };
}

/** Returns whether the record's uid is taken for good: applied or parked. */
async function takeRecord(scope: BatchScope, wire: WireRecord, problem: string | undefined): Promise<boolean> {
  try {
    if (problem !== undefined) throw new UnusableRecord(problem);
    if ('problem' in wire.parsed) throw new UnusableRecord(wire.parsed.problem);
    await applyNow(scope, wire.parsed.record);
    return true;
  } catch (error) {
    if (error instanceof UnusableRecord) {
      await giveUp(scope, wire, error.message);
      return false;
    }
    if (error instanceof RecordTooEarly && 'record' in wire.parsed) {
      return park(scope, { wire, record: wire.parsed.record, waits_for_uid: error.waits_for_uid });
    }
    throw error;
  }
}

async function applyNow(scope: BatchScope, record: UplinkRecord): Promise<void> {
  const payload = parsePayload(record.payload);
  const { deps, gateway } = scope;
  if (payload.kind === 'lost') {
    const { lane, from, to } = payload;
    deps.logger.warn({ gateway_id: gateway.id, lane, from, to }, 'a gateway gave up records at its bounds');
    await insertLost(deps.tx, {
      gateway_id: gateway.id,
      epoch: scope.epoch,
      lane,
      from_seq: from,
      to_seq: to,
      created_at: scope.now,
    });
    return;
  }
  await applyRecord(contextOf(scope, record), payload);
  if (payload.kind === 'plate_read' || payload.kind === 'sighting') await applyParked(scope, record.uid);
}

function contextOf(scope: BatchScope, record: UplinkRecord): RecordContext {
  const { deps, now } = scope;
  const gateway = gatewayWithLot(scope);
  const facts = {
    clock_ok: record.clock_ok,
    mono_ms: record.mono_ms,
    boot_began_ms: deps.bootClocks.beganMs(gateway.id, record.boot_id),
    present_boot_began_ms: deps.bootClocks.presentBeganMs(gateway.id),
    cloud_ms: now,
  };
  return {
    tx: deps.tx,
    events: deps.events,
    gateway,
    record,
    now,
    placeTime: (event_ms) => decideEventTime({ ...facts, event_ms }),
    makePublicId: deps.makePublicId,
    takeCommandResult: (result) =>
      deps.commands.takeResult({ tx: deps.tx, events: deps.events }, { gateway_id: gateway.id, ...result }),
    dirty: scope.dirty,
    commandSteps: scope.commandSteps,
  };
}

function gatewayWithLot({ gateway }: BatchScope): IngestGateway {
  if (gateway.lot_id === null) throw new UnusableRecord('the gateway is in no lot');
  return { id: gateway.id, account_id: gateway.account_id, lot_id: gateway.lot_id };
}

/** Applies what waited for a uid that has come. */
async function applyParked(scope: BatchScope, uid: string): Promise<void> {
  const { tx } = scope.deps;
  for (const row of await takeParked(tx, { gateway_id: scope.gateway.id, waits_for_uid: uid })) {
    const parked = readParked(row.record);
    try {
      await applyNow(scope, uplinkRecordSchema.parse(parked.record));
    } catch (error) {
      // Too early again: it named a uid that the one it waited for did not announce.
      if (!(error instanceof UnusableRecord) && !(error instanceof RecordTooEarly)) throw error;
      await insertDeadLetter(tx, {
        gateway_id: scope.gateway.id,
        epoch: parked.epoch,
        lane: parked.lane,
        seq: parked.record.seq,
        uid: row.uid,
        reason: error.message,
        payload: row.record,
        created_at: scope.now,
      });
    }
  }
}

async function park(
  scope: BatchScope,
  early: { wire: WireRecord; record: UplinkRecord; waits_for_uid: string },
): Promise<boolean> {
  const { tx } = scope.deps;
  if ((await countParked(tx, scope.gateway.id)) >= PARKED_MAX) {
    await giveUp(scope, early.wire, `waits for ${early.waits_for_uid}, as ${PARKED_MAX} others do already`);
    return false;
  }
  await insertParked(tx, {
    uid: early.record.uid,
    gateway_id: scope.gateway.id,
    waits_for_uid: early.waits_for_uid,
    record: parkedText({ epoch: scope.epoch, lane: scope.lane, record: early.record }),
    created_at: scope.now,
  });
  return true;
}

async function giveUp(scope: BatchScope, wire: WireRecord, reason: string): Promise<void> {
  const { gateway, epoch, lane, now, deps } = scope;
  deps.logger.error({ gateway_id: gateway.id, epoch, lane, seq: wire.seq, uid: wire.uid, reason }, 'record given up');
  await insertDeadLetter(deps.tx, {
    gateway_id: gateway.id,
    epoch,
    lane,
    seq: wire.seq,
    uid: wire.uid,
    reason,
    payload: deadLetterText(wire.raw),
    created_at: now,
  });
}
