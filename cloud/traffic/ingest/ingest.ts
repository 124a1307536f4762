/**
 * Applies the records of gateways: a record only if its seq is the cursor + 1 and its uid is new, in one transaction with what it
 * changes and its events. An acknowledgement names only what was committed.
 */
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { type RecordSpan, startWatch, type Tracer } from '../../../shared/tracer.js';
import type { Ack } from '../../../shared/uplink.js';
import { findGatewayByUuid } from '../../equipment/entry.js';
import type { ImageStore } from '../image/image-store.js';
import {
  type CloudStore,
  createGroupedWork,
  type GroupedWork,
  type GroupPace,
  isStoreFault,
} from '../../kernel/store/entry.js';
import { applyBatches, type BatchDeps, type BatchResult } from './apply-batches.js';
import { dropRefused, keepPictures } from './keep-pictures.js';
import type { BatchWork } from './load/find-due.js';
import { pruneDelivery, pruneImages, pruneSightings } from './prune.js';
import { isDirect } from './plan/context.js';
import { parseWireBatch, understood, type WireBatch, type WireRecord } from './read/wire-batch-parser.js';

export interface IngestDeps extends BatchDeps {
  store: CloudStore;
  images: ImageStore;
  logger: Logger;
  /** Called with how many records each batch costs as much as; see `workOf`. */
  countRecords: (uuid: GatewayUuid, count: number) => void;
  /** Cuts off a connected gateway that another process has deleted (`apply --prune`): it would send its batch for ever. */
  disconnectGateway: (uuid: GatewayUuid) => void;
  /** How soon after a transaction the next one may begin. */
  pace: Pick<GroupPace<unknown>, 'clock' | 'everyMs'>;
}

export interface Ingest {
  /**
   * Commits a batch, given as JSON text in UTF-8. Rejects when the database or the image store fails: then nothing is acknowledged, and the
   * gateway repeats the batch.
   * @returns the acknowledgement; null when the batch cannot be read or its gateway is not known
   */
  apply(uuid: GatewayUuid, json: Uint8Array): Promise<Ack | null>;
  /** The same of a device that was this gateway before the present one. */
  applyFormer(uuid: GatewayUuid, json: Uint8Array): Promise<Ack | null>;
  /** Removes what is kept only for a while. Call it about every hour. */
  prune(): Promise<void>;
}

/** How often a record may fail by what it holds, or by a mistake in its planning, before it is given up. */
const FAILURES_MAX = 3;

export function createIngest(deps: IngestDeps): Ingest {
  const { store, images, clock } = deps;
  const pictureDeps = { reader: store.reader, images };
  const outsiders = createBoundedLog(deps);
  const apply = createGroupedWork<CommitWork, BatchResult>(store, {
    run: (tx, works) => applyBatches(deps, tx, works),
    roomOf: ({ room }) => room,
    pace: { clock: deps.pace.clock, everyMs: deps.pace.everyMs, shareOf: shareOfGroup },
  });

  async function applyOf(uuid: GatewayUuid, json: Uint8Array, isFormer: boolean): Promise<Ack | null> {
    // A gateway decides how many of its records are wrong, so its lines in the log are bounded.
    const logger = outsiders.from(uuid);
    const watch = startWatch(clock);
    const batch = parseWireBatch(json);
    if ('problem' in batch) {
      logger.error({ uuid, reason: batch.problem }, 'a batch of a gateway cannot be read');
      return null;
    }
    deps.countRecords(uuid, workOf(batch));
    const gateway = await findGatewayByUuid(store.reader, uuid);
    if (gateway === undefined) {
      logger.warn({ uuid }, 'a gateway that is not known sent records');
      if (!isFormer) deps.disconnectGateway(uuid);
      return null;
    }
    const pictures = await keepPictures(pictureDeps, { gateway, batch });
    const room = `lot ${gateway.lot_id ?? `of ${gateway.id}`}`;
    const work = { uuid, gateway, isFormer, batch: pictures.batch, logger, room };
    const { cursor, gap, diverged } = await commit(apply, work);
    await dropRefused(pictureDeps, pictures);
    const { epoch, lane } = batch;
    if (diverged) logger.warn({ uuid, gateway_id: gateway.id, epoch, lane }, 'a gateway was restored or cloned');
    traceReads(deps.tracer, batch, { name: 'receive', ...watch(), attributes: { uuid, gateway_id: gateway.id } });
    // The cursor may be further than this batch, but only uids of this batch were compared: a gateway whose card was restored may have
    // given the numbers in between to other records.
    const seq = Math.min(cursor, Math.max(...batch.records.map((record) => record.seq)));
    return { epoch, lane, seq, gap, diverged };
  }

  return {
    apply: (uuid, json) => applyOf(uuid, json, false),
    applyFormer: (uuid, json) => applyOf(uuid, json, true),
    async prune() {
      const now = clock.now();
      await pruneDelivery(deps, now);
      await pruneSightings(deps, now);
      await pruneImages(deps, now);
    },
  };
}

/** How many records that are planned together cost as much as one that has statements of its own. */
const OWN_STATEMENTS_COST = 16;

/** Returns how many records that are planned together cost as much as the batch. */
function workOf({ records }: WireBatch): number {
  const direct = understood(records).filter(({ payload }) => isDirect(payload)).length;
  return records.length + direct * (OWN_STATEMENTS_COST - 1);
}

/** Adds the span to the trace of each plate read of the batch. */
function traceReads(tracer: Tracer | null, { records }: WireBatch, span: Omit<RecordSpan, 'uid'>): void {
  if (tracer === null) return;
  for (const { record, payload } of understood(records)) {
    if (payload.kind === 'plate_read') tracer.add({ ...span, uid: record.uid });
  }
}

/** A transaction is worth beginning for so many records. */
const ENOUGH_RECORDS = 32;

/** A person waits for the result of a command or a pairing; other records share a transaction. */
function shareOfGroup({ batch: { records } }: CommitWork): number {
  const isUrgent = understood(records).some(
    ({ payload: { kind } }) => kind === 'command_result' || kind === 'pairing_offer',
  );
  return isUrgent ? 1 : records.length / ENOUGH_RECORDS;
}

type Apply = GroupedWork<CommitWork, BatchResult>;

interface CommitWork extends BatchWork {
  /** Gateways of a lot change the same sessions and places. */
  room: string;
}

/**
 * A batch that fails, but not by a fault of the store, is tried again record by record. A record that fails again and again becomes a dead
 * letter, because it would stop its lane. No fault of the store counts against a record, however often it comes, also when the tables are not
 * those that this program knows: the gateway keeps the record, and repeats it until the store takes it.
 */
async function commit(apply: Apply, work: CommitWork): Promise<BatchResult> {
  try {
    return await apply(work);
  } catch (error) {
    if (isStoreFault(error)) throw error;
    work.logger.error(
      { uuid: work.uuid, err: error },
      'a batch could not be applied; its records are tried one by one',
    );
  }
  for (const record of work.batch.records) {
    const result = await commitAlone(apply, work, record);
    if (result.gap || result.diverged || record === work.batch.records.at(-1)) return result;
  }
  throw new Error('a batch without records');
}

async function commitAlone(apply: Apply, work: CommitWork, sent: WireRecord): Promise<BatchResult> {
  let record = sent;
  for (let failures = 0; ; failures++) {
    try {
      return await apply({ ...work, batch: { ...work.batch, records: [record] } });
    } catch (error) {
      if (isStoreFault(error) || failures > FAILURES_MAX) throw error;
      if (failures === FAILURES_MAX - 1) {
        record = { ...sent, parsed: { problem: `could not be applied: ${String(error)}` } };
      }
    }
  }
}
