/** Finds which records of batches are to be applied: those that follow the cursor of their lane and whose uids are new. */
import type { GatewayUuid } from '../../../../shared/ids.js';
import { unique } from '../../../../shared/grouping.js';
import type { Logger } from '../../../../shared/logger.js';
import { type Lock, LOCKS, type Tx } from '../../../kernel/store/entry.js';
import { type LaneKey, laneText } from '../ingest-queries.js';
import { decidedReadOf, letThroughUidOf, uidsNamedBy } from '../read/payload-references.js';
import { understood, type WireBatch, type WireRecord } from '../read/wire-batch-parser.js';
import { type Known, loadKnown, type Sender } from '../known-queries.js';

/** A batch of one gateway, as it came. */
export interface BatchWork {
  uuid: GatewayUuid;
  /** As it was when the batch came. */
  gateway: Pick<Sender, 'id' | 'lot_id'>;
  /** Whether the device that recorded it was this gateway before the present one. */
  isFormer: boolean;
  batch: WireBatch;
  /** Bounded by gateway. */
  logger: Logger;
}

/** The records of a batch, compared with what came before. */
export interface DueBatch {
  sender: Sender;
  /** As in `BatchWork`. */
  isFormer: boolean;
  key: LaneKey;
  logger: Logger;
  /** New records that follow the cursor without a gap. */
  due: WireRecord[];
  /** How many records came before. */
  repeated: number;
  /** The cursor after the due records. */
  cursor: number;
  /** A record is missing before one that came. */
  gap: boolean;
  /** Seqs up to the cursor came with unknown uids: the gateway has another history. */
  diverged: boolean;
}

export interface MovedLane {
  key: LaneKey;
  seq: number;
  /** Nothing of the lane came before. */
  begins: boolean;
}

/**
 * Locks what the batches change, and then reads what they are compared with. A gateway that was moved or claimed anew since its batch came
 * has other locks, which are acquired once they are known.
 */
export async function lockAndLoad(tx: Tx, works: readonly BatchWork[]): Promise<Known> {
  const locks = works.flatMap((work) => locksOf(work, work.gateway, []));
  await tx.lock(...locks);
  const uids = works.flatMap(({ batch: { records } }) => [
    ...records.flatMap(({ uid }) => (uid === '' ? [] : uid)),
    ...understood(records).flatMap(({ payload }) => uidsNamedBy(payload)),
  ]);
  const wanted = {
    uuids: unique(works.map(({ uuid }) => uuid)),
    epochs: unique(works.map(({ batch }) => batch.epoch)),
    uids: unique(uids),
  };
  const known = await loadKnown(tx, wanted);
  const held = new Set(locks.map(({ name }) => name));
  const more = works.flatMap((work) => {
    const sender = known.senders.get(work.uuid);
    return sender === undefined ? [] : locksOf(work, sender, known.lots.get(sender.id) ?? []);
  });
  if (more.every(({ name }) => held.has(name))) return known;
  await tx.lock(...more);
  return loadKnown(tx, wanted);
}

/** @param lots that the gateway is or was in, as far as that is known */
function locksOf({ batch }: BatchWork, gateway: Pick<Sender, 'id' | 'lot_id'>, lots: readonly number[]): Lock[] {
  const hasRead = understood(batch.records).some(
    ({ payload }) => decidedReadOf(payload) !== null || letThroughUidOf(payload) !== null,
  );
  const ofReads = hasRead ? unique([...(gateway.lot_id === null ? [] : [gateway.lot_id]), ...lots]) : [];
  return [LOCKS.ingest(gateway.id), ...ofReads.map(LOCKS.openSessions)];
}

/** Finds the due records of each batch, and how far each lane moves: a later batch of a lane goes on where the one before ends. */
export function findDue(known: Known, works: readonly BatchWork[]): { batches: DueBatch[]; moved: MovedLane[] } {
  const moved = new Map<string, MovedLane>();
  const batches = works.map(({ uuid, isFormer, batch, logger }) => {
    const sender = known.senders.get(uuid);
    if (sender === undefined) throw new Error(`gateway ${uuid} is not known any more`);
    const { epoch, lane, records } = batch;
    const key = { gateway_id: sender.id, epoch, lane };
    const stored = known.cursorOf(key);
    const before = moved.get(laneText(key))?.seq ?? stored;
    const found = dueRecords(known.uids, before, records);
    if (found.cursor !== before) moved.set(laneText(key), { key, seq: found.cursor, begins: stored === 0 });
    return { sender, isFormer, key, logger, ...found };
  });
  return { batches, moved: [...moved.values()] };
}

/** @param known the uids that came before; those of the due records are added */
function dueRecords(
  known: Set<string>,
  before: number,
  records: readonly WireRecord[],
): Pick<DueBatch, 'due' | 'repeated' | 'cursor' | 'gap' | 'diverged'> {
  let cursor = before;
  const due: WireRecord[] = [];
  // A repeat has the same uids as before; a record that cannot be read has none to compare.
  if (records.some(({ seq, uid }) => seq <= cursor && uid !== '' && !known.has(uid))) {
    return { due, repeated: 0, cursor, gap: false, diverged: true };
  }
  let repeated = records.filter(({ seq }) => seq <= before).length;
  for (const record of records) {
    if (record.seq <= cursor) continue;
    // A gap stops the batch even if the gateway reported lost records: it numbers the remaining ones anew, so the missing ones still come.
    if (record.seq > cursor + 1) return { due, repeated, cursor, gap: true, diverged: false };
    cursor = record.seq;
    if (known.has(record.uid)) {
      repeated += 1;
      continue;
    }
    if (record.uid !== '') known.add(record.uid);
    due.push(record);
  }
  return { due, repeated, cursor, gap: false, diverged: false };
}
