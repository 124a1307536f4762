/** Plans the records of a batch; those that cannot be applied, or not yet, become dead letters or early records. */
import {
  type Lane,
  type OutboxEpoch,
  type RecordPayload,
  type UplinkRecord,
  uplinkRecordSchema,
} from '../../../shared/uplink.js';
import { pushTo } from '../../../shared/grouping.js';
import type { NewRow } from '../../kernel/entry.js';
import { RecordTooEarly } from './batch-plan.js';
import { type BatchScope, timePlacer } from './batch-scope.js';
import { isDirect } from './direct-record.js';
import { givenUpKey } from './ingest-facts.js';
import { deadLetterText, earlyRecordText, parseEarlyRecord } from './kept-record-codec.js';
import type { PlanContext } from './plan-context.js';
import { parsePayload, planRecord } from './plan-record.js';
import { UnusableRecord } from './unusable-record.js';
import type { WireRecord } from './wire-batch-parser.js';

/** How many early records of a gateway are kept. */
const EARLY_MAX = 1_000;

/** A new record that follows the cursor, with its payload if that can be read. */
export interface DueRecord {
  wire: WireRecord;
  read: { record: UplinkRecord; payload: RecordPayload } | { problem: string };
}

/** Plans a record, or makes it an early record or a dead letter. */
export function planDue(scope: BatchScope, { wire, read }: DueRecord): void {
  const { plan } = scope;
  try {
    if ('problem' in read) throw new UnusableRecord(read.problem);
    planNow(scope, read.record, read.payload);
    plan.handled.set(wire.uid, scope.gateway.id);
  } catch (error) {
    if (error instanceof UnusableRecord) giveUpDue(scope, wire, error.message);
    else if (error instanceof RecordTooEarly && 'record' in read) keepEarly(scope, { wire, read, error });
    else throw error;
  }
}

function planNow(scope: BatchScope, record: UplinkRecord, payload: RecordPayload): void {
  const { deps, plan, gateway, epoch, now } = scope;
  if (payload.kind === 'lost') {
    const { lane, from, to } = payload;
    const { id: gateway_id, uuid } = gateway;
    deps.logger.warn({ uuid, gateway_id, lane, from, to }, 'a gateway gave up records at its bounds');
    plan.lost.push({ gateway_id: gateway.id, epoch, lane, from_seq: from, to_seq: to, created_at: now });
    return;
  }
  if (scope.place === null) throw new UnusableRecord('the gateway is in no lot');
  if (isDirect(payload)) {
    scope.direct.push({ record, payload });
    return;
  }
  const context: PlanContext = {
    gateway: scope.place,
    facts: scope.facts,
    plan,
    record,
    now,
    placeTime: timePlacer(deps, gateway, { record, now }),
    generatePublicId: deps.generatePublicId,
  };
  planRecord(context, payload);
  planEarly(scope, record.uid);
}

/** Plans the gateway's records that waited for a uid that has come, in the database or earlier in these batches. */
function planEarly(scope: BatchScope, uid: string): void {
  const { plan, facts, gateway } = scope;
  const isOwn = ({ gateway_id }: { gateway_id: number }): boolean => gateway_id === gateway.id;
  const planned = plan.early.get(uid) ?? [];
  const ofBatch = planned.filter(isOwn);
  if (ofBatch.length > 0) {
    plan.early.set(
      uid,
      planned.filter((row) => !isOwn(row)),
    );
    countEarly(scope, -ofBatch.length);
  }
  const stored = (facts.early.get(uid) ?? []).filter(isOwn);
  plan.dueEarly.push(...stored.map((row) => row.uid));
  for (const row of [...stored, ...ofBatch]) {
    const early = parseEarlyRecord(row.record);
    try {
      const record = uplinkRecordSchema.parse(early.record);
      planNow(scope, record, parsePayload(record.payload));
    } catch (error) {
      // A record that is early again names a uid that the record it waited for did not announce.
      if (!(error instanceof UnusableRecord) && !(error instanceof RecordTooEarly)) throw error;
      const { epoch, lane, record } = early;
      giveUp(scope, { uid: row.uid, seq: record.seq, raw: record, epoch, lane, reason: error.message });
    }
  }
}

interface EarlyRead {
  wire: WireRecord;
  read: Exclude<DueRecord['read'], { problem: string }>;
  error: RecordTooEarly;
}

function keepEarly(scope: BatchScope, early: EarlyRead): void {
  const { plan, gateway, epoch, lane, now } = scope;
  const { waits_for_uid } = early.error;
  const { uid } = early.read.record;
  if ((scope.facts.earlyCounts.get(gateway.id) ?? 0) >= EARLY_MAX) {
    giveUpDue(scope, early.wire, `waits for ${waits_for_uid}, as ${EARLY_MAX} others do already`);
    return;
  }
  // Of what was sent only what was understood is kept: the rest has no bound.
  const record = earlyRecordText({ epoch, lane, record: { ...early.read.record, payload: early.read.payload } });
  pushTo(plan.early, waits_for_uid, { uid, gateway_id: gateway.id, waits_for_uid, record, created_at: now });
  countEarly(scope, 1);
  plan.handled.set(uid, gateway.id);
}

/** Those of the batches are counted beside those of the database. */
function countEarly({ facts: { earlyCounts }, gateway }: BatchScope, by: number): void {
  earlyCounts.set(gateway.id, (earlyCounts.get(gateway.id) ?? 0) + by);
}

/** Gives a record up. Its uid counts as handled, so that a repeat is neither a new record nor another history. */
function giveUpDue(scope: BatchScope, wire: WireRecord, reason: string): void {
  giveUp(scope, { ...wire, epoch: scope.epoch, lane: scope.lane, reason });
  if (wire.uid !== '') scope.plan.handled.set(wire.uid, scope.gateway.id);
}

interface GivenUp {
  uid: string;
  seq: number;
  raw: unknown;
  epoch: OutboxEpoch;
  lane: Lane;
  reason: string;
}

function giveUp(scope: BatchScope, given: GivenUp): void {
  scope.plan.deadLetters.push(deadLetterOf(scope, given));
  scope.givenUp += 1;
  scope.facts.givenUp.set(givenUpKey(scope.gateway.id, given.uid), given.reason);
}

/** Builds and logs the dead letter of a record that can never be applied: a person has to look for the reason. */
export function deadLetterOf(
  { deps, gateway, now }: Pick<BatchScope, 'deps' | 'gateway' | 'now'>,
  { uid, seq, raw, epoch, lane, reason }: GivenUp,
): NewRow<'dead_letters'> {
  deps.logger.error(
    { uuid: gateway.uuid, gateway_id: gateway.id, lot_id: gateway.lot_id, epoch, lane, seq, uid, reason },
    'record given up',
  );
  return { gateway_id: gateway.id, epoch, lane, seq, uid, reason, payload: deadLetterText(raw), created_at: now };
}
