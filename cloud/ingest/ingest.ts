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
import { findGatewayByUuid } from '../store/queries/gateways.js';
import { readCursor } from '../store/queries/ingest.js';
import { findImage, pruneSightings } from '../store/queries/plate-readings.js';
import { applyBatch, RecordFailure, type BatchResult } from './apply-batch.js';
import { parsePayload } from './apply-record.js';
import { decodeImage } from './image-codec.js';
import { pruneDelivery } from './prune.js';
import { UnusableRecord } from './record-context.js';
import { parseWireBatch, type WireBatch } from './wire-batch-parser.js';

export interface IngestDeps {
  store: CloudStore;
  images: ImageStore;
  clock: Clock;
  logger: Logger;
  bootClocks: BootClocks;
  /** 10 characters, A-Z and 0-9. */
  makePublicId: () => string;
  commands: Pick<CommandDispatcher, 'takeResult'>;
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
const SIGHTING_KEPT_MS = 24 * 3_600_000;

export function createIngest(deps: IngestDeps): Ingest {
  const { store, logger, clock } = deps;

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
      const result = await commit(deps, { uuid, batch, unusable });
      const { cursor, gap, ...rest } = result;
      return { ack: { epoch: batch.epoch, lane: batch.lane, seq: cursor, gap }, ...rest };
    },
    async prune() {
      const now = clock.now();
      await store.change(async (tx) => {
        await pruneSightings(tx, now - SIGHTING_KEPT_MS);
        await pruneDelivery(tx, now);
      });
    },
  };
}

/** A record that fails again and again while the database answers would stop its lane: it becomes a dead letter. */
async function commit(
  deps: IngestDeps,
  work: { uuid: GatewayUuid; batch: WireBatch; unusable: Map<number, string> },
): Promise<BatchResult> {
  const failures = new Map<number, number>();
  for (;;) {
    try {
      return await deps.store.change((tx, events) => applyBatch({ ...deps, tx, events }, work));
    } catch (error) {
      if (!(error instanceof RecordFailure) || isOutOfOrder(error.cause)) throw error;
      const count = (failures.get(error.seq) ?? 0) + 1;
      failures.set(error.seq, count);
      deps.logger.error(
        { uuid: work.uuid, seq: error.seq, count, error: error.cause },
        'a record could not be applied',
      );
      if (count >= FAILURES_MAX) work.unusable.set(error.seq, `could not be applied: ${String(error.cause)}`);
    }
  }
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
