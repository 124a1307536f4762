/** Plans the records of a part of a batch; those that cannot be applied, or not yet, become dead letters or early records. */
import { pushTo } from '../../../../shared/grouping.js';
import { type Lane, type OutboxEpoch, uplinkRecordSchema } from '../../../../shared/uplink.js';
import type { NewRow } from '../../../kernel/store/entry.js';
import { whyTooOld } from '../load/decide-event-time.js';
import { givenUpKey } from '../load/facts.js';
import { eventOf } from '../read/payload-references.js';
import { deadLetterText, earlyRecordText, parseEarlyRecord } from '../read/kept-record-codec.js';
import { type UnderstoodRecord, understandRecord, type WireRecord } from '../read/wire-batch-parser.js';
import { isDirect, type PartContext, RecordTooEarly, UnusableRecord } from './context.js';
import { planLetOut } from './plan-let-out.js';
import { planRecord } from './plan-record.js';
import { errorText } from '../../../../shared/error-text.js';

/** How many early records of a gateway are kept. */
const EARLY_MAX = 1_000;

export function planPart(context: PartContext): void {
  for (const record of context.part.due) planDue(context, record);
}

/** Plans a record, or makes it an early record or a dead letter. */
function planDue(context: PartContext, wire: WireRecord): void {
  const { plan, part } = context;
  const { parsed } = wire;
  try {
    if ('problem' in parsed) throw new UnusableRecord(parsed.problem);
    planNow(context, parsed);
    plan.handled.set(wire.uid, part.sender.id);
  } catch (error) {
    if (error instanceof UnusableRecord) giveUpDue(context, wire, errorText(error));
    else if (error instanceof RecordTooEarly && 'record' in parsed) keepEarly(context, wire, { ...parsed, error });
    else throw error;
  }
}

function planNow(context: PartContext, { record, payload }: UnderstoodRecord): void {
  const { part, plan, now } = context;
  if (payload.kind === 'lost') {
    const { sender, epoch, logger } = part;
    const { lane, from, to } = payload;
    const { id: gateway_id, uuid } = sender;
    logger.warn({ uuid, gateway_id, lane, from, to }, 'a gateway gave up records at its bounds');
    plan.lost.push({ gateway_id, epoch, lane, from_seq: from, to_seq: to, created_at: now });
    return;
  }
  if (part.gateway === null) throw new UnusableRecord('the gateway is in no lot');
  const placeTime = part.placing(record);
  const event = eventOf(payload);
  const tooOld = event === null ? null : whyTooOld(placeTime(event.event_ms, event.time_source), part.ages);
  if (tooOld !== null) throw new UnusableRecord(tooOld);
  const ofRecord = { ...context, gateway: part.gateway, record, placeTime };
  if (isDirect(payload)) {
    planLetOut(ofRecord, payload);
    context.direct.push({ context: ofRecord, payload });
    return;
  }
  planRecord(ofRecord, payload);
  planEarly(context, record.uid);
}

/** Plans the gateway's records that waited for a uid that has come, in the database or earlier in these batches. */
function planEarly(context: PartContext, uid: string): void {
  const { plan, facts, part } = context;
  const isOwn = ({ gateway_id }: { gateway_id: number }): boolean => gateway_id === part.sender.id;
  const planned = plan.early.get(uid) ?? [];
  const ofBatch = planned.filter(isOwn);
  if (ofBatch.length > 0) {
    plan.early.set(
      uid,
      planned.filter((row) => !isOwn(row)),
    );
    countEarly(context, -ofBatch.length);
  }
  const stored = (facts.early.get(uid) ?? []).filter(isOwn);
  plan.dueEarly.push(...stored.map((row) => row.uid));
  for (const row of [...stored, ...ofBatch]) {
    const early = parseEarlyRecord(row.record);
    try {
      const understood = understandRecord(uplinkRecordSchema.parse(early.record));
      if ('problem' in understood) throw new UnusableRecord(understood.problem);
      planNow(context, understood);
    } catch (error) {
      // A record that is early again names a uid that the record it waited for did not announce.
      if (!(error instanceof UnusableRecord) && !(error instanceof RecordTooEarly)) throw error;
      const { epoch, lane, record } = early;
      giveUp(context, { uid: row.uid, seq: record.seq, raw: record, epoch, lane, reason: errorText(error) });
    }
  }
}

function keepEarly(
  context: PartContext,
  wire: WireRecord,
  { record, payload, error: { waits_for_uid } }: UnderstoodRecord & { error: RecordTooEarly },
): void {
  const { plan, memory, part, now } = context;
  const { sender, epoch, lane } = part;
  if ((memory.earlyCounts.get(sender.id) ?? 0) >= EARLY_MAX) {
    giveUpDue(context, wire, `waits for ${waits_for_uid}, as ${EARLY_MAX} others do already`);
    return;
  }
  // Only the understood part of a message is kept: the rest has no bound.
  const text = earlyRecordText({ epoch, lane, record: { ...record, payload } });
  const { uid } = record;
  pushTo(plan.early, waits_for_uid, { uid, gateway_id: sender.id, waits_for_uid, record: text, created_at: now });
  countEarly(context, 1);
  plan.handled.set(uid, sender.id);
}

/** Counts early records of the batches beside those of the database. */
function countEarly({ memory: { earlyCounts }, part: { sender } }: PartContext, by: number): void {
  earlyCounts.set(sender.id, (earlyCounts.get(sender.id) ?? 0) + by);
}

/** Gives a record up. Its uid counts as handled, so that a repeat is neither a new record nor another history. */
function giveUpDue(context: PartContext, wire: WireRecord, reason: string): void {
  const { part, plan } = context;
  giveUp(context, { ...wire, epoch: part.epoch, lane: part.lane, reason });
  if (wire.uid !== '') plan.handled.set(wire.uid, part.sender.id);
}

interface GivenUp {
  uid: string;
  seq: number;
  raw: unknown;
  epoch: OutboxEpoch;
  lane: Lane;
  reason: string;
}

function giveUp(context: PartContext, given: GivenUp): void {
  const { plan, memory, part } = context;
  plan.deadLetters.push(deadLetterOf(context, given));
  memory.givenUp.set(givenUpKey(part.sender.id, given.uid), given.reason);
}

/** Builds, counts and logs the dead letter of a record that can never be applied: a person has to look for the reason. */
export function deadLetterOf(
  { part, now }: Pick<PartContext, 'part' | 'now'>,
  { uid, seq, raw, epoch, lane, reason }: GivenUp,
): NewRow<'dead_letters'> {
  const { id: gateway_id, uuid, lot_id } = part.sender;
  part.givenUp += 1;
  part.logger.error({ uuid, gateway_id, lot_id, epoch, lane, seq, uid, reason }, 'a record was given up');
  return { gateway_id, epoch, lane, seq, uid, reason, payload: deadLetterText(raw), created_at: now };
}
