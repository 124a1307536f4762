/**
 * Applies the records of gateways: a record only if its seq is the cursor + 1 and its uid is new, in one transaction with what it
 * changes and its events. An acknowledgement names only what was committed.
 */
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { type RecordSpan, startWatch, type Tracer } from '../../../shared/tracer.js';
import type { Ack, RecordPayload } from '../../../shared/uplink.js';
import { type BootClocks, type CommandDispatcher, findGatewayByUuid } from '../../equipment/entry.js';
import type { ConfigChanged } from '../../rest/entry.js';
import type { ImageStore } from '../image/image-store.js';
import {
  type CloudStore,
  createGroupedWork,
  databaseFault,
  type GroupedWork,
  type GroupPace,
} from '../../kernel/entry.js';
import { applyBatches, type BatchResult, type BatchWork } from './apply-batch.js';
import type { IngestMeasurement } from './ingest-metrics.js';
import { dropRefused, keepPictures } from './keep-pictures.js';
import { pruneDelivery, pruneSightings } from './prune.js';
import { pruneImages } from './prune-images.js';
import { parseWireBatch, type WireBatch } from './wire-batch-parser.js';

export interface IngestDeps {
  store: CloudStore;
  images: ImageStore;
  clock: Clock;
  logger: Logger;
  bootClocks: BootClocks;
  /** 10 characters, A-Z and 0-9. */
  generatePublicId: () => string;
  commands: Pick<CommandDispatcher, 'applyResult' | 'applyOffer'>;
  configChanged: ConfigChanged;
  /** Hears how many records a gateway sent. */
  countRecords?: (uuid: GatewayUuid, count: number) => void;
  /** Cuts off a connected gateway that another process has deleted (`apply --prune`): it would send its batch for ever. */
  disconnectGateway?: (uuid: GatewayUuid) => void;
  /** Left out: nothing is measured. */
  measurement?: IngestMeasurement;
  /** Left out: nothing is traced. */
  tracer?: Tracer | undefined;
  /** How soon after the last one the next transaction begins where several may be under way. Left out: as soon as it can. */
  pace?: Pick<GroupPace<unknown>, 'clock' | 'everyMs'>;
}

export interface Ingest {
  /**
   * Commits a batch, given as JSON text in UTF-8, and returns the acknowledgement; null when the batch cannot be read or its gateway is unknown. Rejects when the
   * database or the image store fails: then nothing is acknowledged, and the gateway repeats the batch.
   */
  apply(uuid: GatewayUuid, json: Uint8Array): Promise<Ack | null>;
  /** Removes what is too old to matter. Call it about every hour. */
  prune(): Promise<void>;
}

/** How often a record may fail while the database works before it is given up. */
const FAILURES_MAX = 3;

export function createIngest(deps: IngestDeps): Ingest {
  const { store, clock } = deps;
  const outsiders = createBoundedLog(deps);
  const apply = createGroupedWork<CommitWork, BatchResult>(store, {
    run: (tx, works) => applyBatches({ ...deps, tx }, works),
    roomOf: ({ room }) => room,
    pace: deps.pace && { ...deps.pace, shareOf: shareOfGroup },
  });

  return {
    async apply(uuid, json) {
      // A gateway decides what is wrong with its records, and how often.
      const logger = outsiders.from(uuid);
      const watch = startWatch(clock);
      const batch = parseWireBatch(json);
      if ('problem' in batch) {
        logger.error({ uuid, reason: batch.problem }, 'a batch of a gateway cannot be read');
        return null;
      }
      deps.countRecords?.(uuid, batch.records.length);
      const gateway = await findGatewayByUuid(store.reader, uuid);
      if (gateway === undefined) {
        logger.warn({ uuid }, 'records of a gateway that is not known');
        deps.disconnectGateway?.(uuid);
        return null;
      }
      const pictures = await keepPictures({ ...deps, reader: store.reader }, { gateway, batch });
      const room = `lot ${gateway.lot_id ?? `of ${gateway.id}`}`;
      const work = { uuid, gateway, batch, logger, room, unusable: pictures.unusable };
      const { cursor, gap, diverged } = await commit(apply, work);
      await dropRefused({ ...deps, reader: store.reader }, pictures);
      if (diverged)
        logger.warn(
          { uuid, gateway_id: gateway.id, epoch: batch.epoch, lane: batch.lane },
          'a gateway was restored or cloned',
        );
      traceReads(deps.tracer, batch, { name: 'receive', ...watch(), attributes: { uuid, gateway_id: gateway.id } });
      // The cursor may be further than this batch. Of what the batch does not hold no uid was compared: a gateway whose card was restored
      // has given those numbers to other records.
      const seq = Math.min(cursor, Math.max(...batch.records.map((record) => record.seq)));
      return { epoch: batch.epoch, lane: batch.lane, seq, gap, diverged };
    },
    async prune() {
      const now = clock.now();
      await pruneDelivery(deps, now);
      await pruneSightings(deps, now);
      await pruneImages(deps, now);
    },
  };
}

/** Adds the span to the trace of each plate read of the batch. */
function traceReads(tracer: Tracer | undefined, { records }: WireBatch, span: Omit<RecordSpan, 'uid'>): void {
  if (tracer === undefined) return;
  for (const { parsed } of records) {
    if ('record' in parsed && isPlateRead(parsed.record.payload)) tracer.add({ ...span, uid: parsed.record.uid });
  }
}

const isPlateRead = (payload: unknown): boolean => (payload as Partial<RecordPayload> | null)?.kind === 'plate_read';

/** So many records are a transaction that is worth beginning. */
const ENOUGH_RECORDS = 32;
const URGENT = new Set(['command_result', 'pairing_offer']);

/** Somebody waits for the result of a command; records that nobody waits for share a transaction. */
function shareOfGroup({ batch: { records } }: CommitWork): number {
  const isUrgent = ({ parsed }: WireBatch['records'][number]) =>
    'record' in parsed && URGENT.has((parsed.record.payload as { kind?: string } | null)?.kind ?? '');
  return records.some(isUrgent) ? 1 : records.length / ENOUGH_RECORDS;
}

type Apply = GroupedWork<CommitWork, BatchResult>;

interface CommitWork extends BatchWork {
  /** Gateways of a lot change the same sessions and places. */
  room: string;
  unusable: Map<number, string>;
}

/**
 * A batch that fails while the database works is tried again record by record. A record that fails again and again becomes a dead
 * letter, because it would stop its lane.
 */
async function commit(apply: Apply, work: CommitWork): Promise<BatchResult> {
  try {
    return await apply(work);
  } catch (error) {
    if (databaseFault(error) !== null) throw error;
    work.logger.error(
      { uuid: work.uuid, err: error },
      'a batch could not be applied; its records are tried one by one',
    );
  }
  for (const record of work.batch.records) {
    const result = await commitAlone(apply, { ...work, batch: { ...work.batch, records: [record] } });
    if (result.gap || result.diverged || record === work.batch.records.at(-1)) return result;
  }
  throw new Error('a batch without records');
}

async function commitAlone(apply: Apply, work: CommitWork): Promise<BatchResult> {
  for (let failures = 0; ; failures++) {
    try {
      return await apply(work);
    } catch (error) {
      const [record] = work.batch.records;
      if (databaseFault(error) !== null || record === undefined || failures > FAILURES_MAX) throw error;
      if (failures === FAILURES_MAX - 1) work.unusable.set(record.seq, `could not be applied: ${String(error)}`);
    }
  }
}
