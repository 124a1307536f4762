/**
 * Takes what gateways queued: a record only if its seq is the cursor + 1 and its uid is new, in one transaction with what it
 * changes and the events that tell of it. The acknowledgement is made of what was committed, and of nothing else.
 */
import type { Clock } from '../../shared/clock.js';
import type { ConfigSection } from '../../shared/gateway-config.js';
import { uidSchema, type GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { Ack } from '../../shared/uplink.js';
import type { CommandDispatcher } from '../command/command-dispatcher.js';
import type { TakenStep } from '../command/command-steps.js';
import type { BootClocks } from '../gateway/boot-clocks.js';
import type { ImageStore } from '../images/image-store.js';
import { StoreError, type CloudStore } from '../store/cloud-store.js';
import { createGroupedChanges, type GroupedChanges } from '../store/grouped-changes.js';
import { findGatewayByUuid } from '../store/queries/gateways.js';
import { readCursor } from '../store/queries/ingest.js';
import { findImage } from '../store/queries/plate-readings.js';
import { applyBatch, type BatchResult } from './apply-batch.js';
import { UnusableRecord } from './batch-plan.js';
import { decodeImage } from './image-codec.js';
import { parsePayload } from './plan-record.js';
import { pruneDelivery, pruneSightings } from './prune.js';
import { parseWireBatch, type WireBatch } from './wire-batch-parser.js';

export interface IngestDeps {
  store: CloudStore;
  images: ImageStore;
  clock: Clock;
  logger: Logger;
  bootClocks: BootClocks;
  /** 10 characters, A-Z and 0-9. */
  makePublicId: () => string;
  commands: Pick<CommandDispatcher, 'takeResult' | 'takeOffer'>;
}

export interface TakenBatch {
  ack: Ack;
  /** Configuration that became stale, of the gateway's lot. */
  lot_id: number | null;
  dirty: Set<ConfigSection>;
  /** What the results in it did to commands: the dispatcher goes on from there. */
  commandSteps: TakenStep[];
}

export interface Ingest {
  /**
   * Commits a batch and says what to acknowledge; null when it cannot be read or its gateway is unknown. Rejects when the
   * database or the image store is out of order: then nothing is acknowledged, and the gateway repeats.
   */
  take(uuid: GatewayUuid, payload: unknown): Promise<TakenBatch | null>;
  /** Removes what is too old to matter; to be called about hourly. */
  prune(): Promise<void>;
}

/** How often one record may fail for no reason of its own before it is given up. */
const FAILURES_MAX = 3;

export function createIngest(deps: IngestDeps): Ingest {
  const { store, logger, clock } = deps;
  const changes = createGroupedChanges(store);

  return {
    async take(uuid, payload) {
      const batch = parseWireBatch(payload);
      if ('problem' in batch) {
        logger.error({ uuid, reason: batch.problem }, 'a batch of a gateway cannot be read');
        return null;
      }
      const gateway = await findGatewayByUuid(store.reader, uuid);
      if (gateway === undefined) {
        logger.warn({ uuid }, 'records of a gateway that is not known');
        return null;
      }
      const unusable = await keepImages(deps, { gateway, batch });
      const result = await commit({ ...deps, changes }, { uuid, batch, unusable });
      const { cursor, gap, diverged, ...rest } = result;
      if (diverged) logger.warn({ uuid, epoch: batch.epoch, lane: batch.lane }, 'a gateway was restored or cloned');
      return { ack: { epoch: batch.epoch, lane: batch.lane, seq: cursor, gap, diverged }, ...rest };
    },
    async prune() {
      const now = clock.now();
      await pruneDelivery(deps, now);
      await pruneSightings(deps, now);
    },
  };
}

type CommitDeps = IngestDeps & { changes: GroupedChanges };

interface CommitWork {
  uuid: GatewayUuid;
  batch: WireBatch;
  unusable: Map<number, string>;
}

/**
 * A batch that fails while the database answers is tried again record by record, and a record that goes on failing becomes a
 * dead letter: it would stop its lane.
 */
async function commit(deps: CommitDeps, work: CommitWork): Promise<BatchResult> {
  try {
    return await commitOnce(deps, work);
  } catch (error) {
    if (isOutOfOrder(error)) throw error;
    deps.logger.error({ uuid: work.uuid, error }, 'a batch could not be applied; its records are tried one by one');
  }
  const dirty = new Set<ConfigSection>();
  for (const record of work.batch.records) {
    const result = await commitAlone(deps, { ...work, batch: { ...work.batch, records: [record] } });
    for (const section of result.dirty) dirty.add(section);
    if (result.gap || result.diverged || record === work.batch.records.at(-1)) return { ...result, dirty };
  }
  throw new Error('a batch without records');
}

async function commitAlone(deps: CommitDeps, work: CommitWork): Promise<BatchResult> {
  for (let failures = 0; ; failures++) {
    try {
      return await commitOnce(deps, work);
    } catch (error) {
      const [record] = work.batch.records;
      if (isOutOfOrder(error) || record === undefined || failures > FAILURES_MAX) throw error;
      if (failures === FAILURES_MAX - 1) work.unusable.set(record.seq, `could not be applied: ${String(error)}`);
    }
  }
}

function commitOnce(deps: CommitDeps, work: CommitWork): Promise<BatchResult> {
  return deps.changes.change((tx, events) => applyBatch({ ...deps, tx, events }, work));
}

/** The database cannot be written at all just now: no fault of the record. */
function isOutOfOrder(error: unknown): boolean {
  return error instanceof StoreError && ['locked', 'full', 'io', 'closed'].includes(error.code);
}

/** Pictures go into the image store before the transaction that makes them visible. Returns what is wrong with which. */
async function keepImages(
  deps: IngestDeps,
  { gateway, batch }: { gateway: { id: number; lot_id: number | null }; batch: WireBatch },
): Promise<Map<number, string>> {
  const unusable = new Map<number, string>();
  if (batch.lane !== 2) return unusable;
  const reader = deps.store.reader;
  const cursor = await readCursor(reader, { gateway_id: gateway.id, epoch: batch.epoch, lane: batch.lane });
  for (const { seq, uid, parsed } of batch.records) {
    if (seq <= cursor || 'problem' in parsed) continue;
    const picture = pictureOf(parsed.record.payload);
    if (picture === null) continue;
    if ('problem' in picture) {
      unusable.set(seq, picture.problem);
      continue;
    }
    const announced = await findImage(reader, uid);
    const isForeign = announced !== undefined && announced.lot_id !== gateway.lot_id;
    if (!isForeign && (announced?.arrived_at ?? null) === null)
      await deps.images.put(uidSchema.parse(uid), picture.jpeg);
  }
  return unusable;
}

function pictureOf(payload: unknown): ReturnType<typeof decodeImage> | null {
  try {
    const parsed = parsePayload(payload);
    return parsed.kind === 'image' ? decodeImage(parsed) : null;
  } catch (error) {
    // The same is found again, and kept as a dead letter, when the record is applied.
    if (error instanceof UnusableRecord) return null;
    throw error;
  }
}
