/**
 * Names at a gateway's health the messages that could not be handled, each with its reason. What went wrong once goes wrong again: it is not
 * tried in a circle, but when the gateway says the like anew.
 */
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import { errorText } from '../../../shared/error-text.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { UpChannel } from '../../../shared/topics.js';
import { forgetUnhandled, saveUnhandled, unhandledChannels } from '../../equipment/entry.js';
import { type CloudStore, databaseFault } from '../../kernel/entry.js';

const REASON_CHARS_MAX = 300;

export interface UnhandledMessages {
  /** Says why a message was not handled. While the database does not work, this is said of all gateways in one line a minute. */
  note(uuid: GatewayUuid, channel: UpChannel, error: unknown): Promise<void>;
  /** Says that one was: whatever stands at the gateway's health of its channel goes. */
  handled(uuid: GatewayUuid, channel: UpChannel): Promise<void>;
}

export function createUnhandledMessages(deps: {
  store: Pick<CloudStore, 'change' | 'reader'>;
  clock: Clock;
  logger: Logger;
}): UnhandledMessages {
  const { store, clock } = deps;
  const log = createBoundedLog({ ...deps, linesMax: 1 });
  /** Gateways and channels of which something stands in the database; another process may know of others. */
  const standing = new Set<string>();
  const keyOf = (uuid: string, channel: string) => `${uuid} ${channel}`;
  let known: Promise<void> | null = null;

  async function readStanding(): Promise<void> {
    for (const { uuid, channel } of await unhandledChannels(store.reader)) {
      if (uuid !== null) standing.add(keyOf(uuid, channel));
    }
  }
  /** What stood there when this process began. A failed look is repeated with the next message. */
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
