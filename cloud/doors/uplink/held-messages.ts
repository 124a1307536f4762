/** Counts for a gateway's health how many of its messages had to wait because it sent more than its share. */
import type { Clock, Timer } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { addHeldMessages, type HeldMessages } from '../../equipment/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';

/** How often the counts are written: a gateway that floods has messages held all the time. */
const WRITTEN_EVERY_MS = 60_000;

export interface HeldMessagesOf {
  /** Counts one message. The count is written at once, or a minute after the last write together with others. */
  note(uuid: GatewayUuid): void;
  /** Writes what is not written yet. Idempotent. */
  close(): Promise<void>;
}

export function createHeldMessages(deps: {
  store: Pick<CloudStore, 'change'>;
  clock: Clock;
  logger: Logger;
}): HeldMessagesOf {
  const { store, clock, logger } = deps;
  /** It holds no more entries than there are gateways, because the broker accepts messages of known gateways only. */
  let unwritten = new Map<GatewayUuid, HeldMessages>();
  let writtenAt = Number.NEGATIVE_INFINITY;
  let timer: Timer | null = null;
  let writing = Promise.resolve();

  function add(uuid: GatewayUuid, { held_count, held_at }: HeldMessages): void {
    const known = unwritten.get(uuid) ?? { held_count: 0, held_at };
    unwritten.set(uuid, {
      held_count: known.held_count + held_count,
      held_at: Math.max(known.held_at, held_at),
    });
  }

  async function write(): Promise<void> {
    timer = null;
    writtenAt = clock.monotonic();
    const counted = unwritten;
    unwritten = new Map();
    if (counted.size === 0) return;
    try {
      await store.change((tx) => addHeldMessages(tx, counted));
    } catch (error) {
      logger.error({ err: error }, 'held messages of gateways could not be counted: it is tried again with the next');
      for (const [uuid, held] of counted) add(uuid, held);
    }
  }

  return {
    note(uuid) {
      add(uuid, { held_count: 1, held_at: clock.now() });
      timer ??= clock.setTimer(Math.max(0, writtenAt + WRITTEN_EVERY_MS - clock.monotonic()), () => {
        writing = writing.then(write);
      });
    },
    async close() {
      timer?.cancel();
      await writing;
      await write();
    },
  };
}
