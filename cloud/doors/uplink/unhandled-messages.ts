/**
 * Shows at a gateway's health the messages that could not be handled, each with its reason. Such a message is not tried again, because it
 * would fail again. The entry goes when the gateway's next message of the same channel is handled.
 */
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import { errorText } from '../../../shared/error-text.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { UpChannel } from '../../../shared/topics.js';
import { forgetUnhandled, saveUnhandled, unhandledChannels } from '../../equipment/entry.js';
import { type CloudStore, databaseFault } from '../../kernel/store/entry.js';

const REASON_CHARS_MAX = 300;

export interface UnhandledMessages {
  /** Notes and logs why a message was not handled. While the database does not work, one log line a minute covers all gateways. */
  note(uuid: GatewayUuid, channel: UpChannel, error: unknown): Promise<void>;
  /** Notes that a message was handled, which removes the entry of its channel at the gateway's health. */
  handled(uuid: GatewayUuid, channel: UpChannel): Promise<void>;
}

export function createUnhandledMessages(deps: {
  store: Pick<CloudStore, 'change' | 'reader'>;
  clock: Clock;
  logger: Logger;
}): UnhandledMessages {
  const { store, clock, logger } = deps;
  const log = createBoundedLog({ logger, clock, linesMax: 1 });
  /** Gateways and channels that have an entry in the database. Another process may know of others. */
  const standing = new Set<string>();
  const keyOf = (uuid: string, channel: string) => `${uuid} ${channel}`;
  let known: Promise<void> | null = null;

  async function readStanding(): Promise<void> {
    for (const { uuid, channel } of await unhandledChannels(store.reader)) {
      if (uuid !== null) standing.add(keyOf(uuid, channel));
    }
  }
  /** Reads the entries that existed when this process began. A failed read is repeated with the next message. */
  const look = (): Promise<void> =>
    (known ??= readStanding().catch((error: unknown) => {
      known = null;
      throw error;
    }));

  async function write(uuid: GatewayUuid, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.from(undefined).error({ err: error, uuid }, 'what was not handled of a gateway could not be noted');
    }
  }

  return {
    async note(uuid, channel, error) {
      if (databaseFault(error) !== null) {
        log.from(undefined).error({ err: error, uuid, channel }, 'messages of gateways wait for the database');
        return;
      }
      log.from(uuid).error({ err: error, uuid, channel }, 'message of a gateway was not handled');
      const reason = errorText(error).slice(0, REASON_CHARS_MAX);
      await write(uuid, async () => {
        await store.change((tx) => saveUnhandled(tx, uuid, { channel, reason, unhandled_at: clock.now() }));
        standing.add(keyOf(uuid, channel));
      });
    },
    async handled(uuid, channel) {
      await write(uuid, async () => {
        await look();
        if (!standing.has(keyOf(uuid, channel))) return;
        await store.change((tx) => forgetUnhandled(tx, uuid, channel));
        standing.delete(keyOf(uuid, channel));
      });
    },
  };
}
