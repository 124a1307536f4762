/**
 * What one gateway may send. A gateway that comes back after a week without a network has tens of thousands of records and some gigabytes
 * of pictures. The records are accepted at once, the pictures at a rate that no mobile link reaches. A gateway that goes on at that rate
 * for hours would fill the disk, and is slowed down further. Messages beyond the quota wait unread, so that nothing is lost and no other
 * gateway waits.
 */
import { Counter, type Registry } from 'prom-client';
import { setMaxListeners } from 'node:events';
import { type Clock, sleep } from '../../../shared/clock.js';
import { createBuckets } from '../../../shared/flow/buckets.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';

const MIB = 1024 * 1024;
const DAY_S = 86_400;
/** More than there are gateways. */
const GATEWAYS_MAX = 100_000;

/** So much may come at once, and so much a second for as long as one likes. */
export interface Allowance {
  /** It is of what comes with so many bytes or more, and nothing smaller counts. Left out: of everything. */
  fromBytes?: number;
  burstBytes: number;
  bytesPerS: number;
}

export const UPLINK_ALLOWANCES: readonly Allowance[] = [
  { burstBytes: 256 * MIB, bytesPerS: 8 * MIB },
  { burstBytes: 16 * 1024 * MIB, bytesPerS: (16 * 1024 * MIB) / DAY_S },
  // Reading a large picture needs many times its bytes, and collecting that garbage stops the thread. Two megabytes a second are still
  // more than the vehicles of a lane need.
  { burstBytes: 32 * MIB, bytesPerS: 2 * MIB, fromBytes: 512 * 1024 },
];
/** What a message counts in addition to its bytes, because small messages cost work too. */
const MESSAGE_BYTES = 2 * 1024;
/** What a record counts in addition to its bytes, because the cloud remembers its uid for a month. */
const RECORD_BYTES = 1024;
const LOGGED_EVERY_MS = 60_000;

export interface UplinkQuota {
  /** Resolves to false when the service stops before the gateway's turn has come. */
  spend(uuid: GatewayUuid, bytes: number): Promise<boolean>;
  /** Counts the records of a message that is being handled. The gateway's next message waits for what they cost. */
  countRecords(uuid: GatewayUuid, count: number): void;
  close(): void;
}

export function createUplinkQuota(deps: {
  clock: Clock;
  logger: Logger;
  registry: Registry;
  allowances: readonly Allowance[];
  /** Called for each message that has to wait. */
  onHeld: (uuid: GatewayUuid) => void;
}): UplinkQuota {
  const { clock, logger, registry, allowances, onHeld } = deps;
  const limits = allowances.map(({ burstBytes, bytesPerS, fromBytes = 0 }) => ({
    fromBytes,
    bytes: createBuckets({ clock, size: burstBytes, refill: { eachMs: 1_000 / bytesPerS }, keysMax: GATEWAYS_MAX }),
  }));
  /** @returns how long so many bytes have to wait, in milliseconds */
  const count = (uuid: GatewayUuid, counted: number): number =>
    Math.max(0, ...limits.map(({ fromBytes, bytes }) => (counted < fromBytes ? 0 : bytes.owe(uuid, counted))));
  const closing = new AbortController();
  // One message of each gateway may wait.
  setMaxListeners(0, closing.signal);
  const held = registry === undefined ? null : heldCounters(registry);
  let loggedAt = Number.NEGATIVE_INFINITY;

  return {
    async spend(uuid, bytes) {
      const wait_ms = Math.round(count(uuid, bytes + MESSAGE_BYTES));
      if (wait_ms === 0) return true;
      onHeld(uuid);
      held?.messages.inc();
      held?.seconds.inc(wait_ms / 1_000);
      if (clock.monotonic() - loggedAt >= LOGGED_EVERY_MS) {
        loggedAt = clock.monotonic();
        logger.warn({ uuid, wait_ms }, 'a gateway sends more than its share, and its messages wait');
      }
      return sleep(clock, wait_ms, closing.signal).then(
        () => true,
        () => false,
      );
    },
    countRecords: (uuid, records) => void count(uuid, records * RECORD_BYTES),
    close: () => closing.abort(new Error('the service stops')),
  };
}

/** The counters are of all gateways together, because a label would add a series for each gateway. A gateway's health shows its own count. */
function heldCounters(registry: Registry): { messages: Counter; seconds: Counter } {
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] });
  return {
    messages: counter(
      'parking_gateway_messages_held_total',
      'Messages of gateways that waited because their gateway sent too much.',
    ),
    seconds: counter(
      'parking_gateway_messages_held_seconds_total',
      'How long messages of gateways waited for that, in all.',
    ),
  };
}
