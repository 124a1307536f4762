/** Applies configuration messages one after the other. A message that does not fit is asked for again, at growing intervals. */
import { type BackoffLimits, backoffDelayMs } from '../../shared/backoff.js';
import type { Clock, Timer } from '../../shared/clock.js';
import type { ConfigMessage } from '../../shared/gateway-config.js';
import type { Logger } from '../../shared/logger.js';

/** How many messages may wait for the one being applied. With more, all are dropped and asked for again. */
const WAITING_MAX = 100;
const DOUBT_BACKOFF: BackoffLimits = { baseMs: 1_000, maxMs: 300_000 };

export interface ConfigInboxOptions {
  clock: Clock;
  logger: Logger;
  /** Says hello again, so that the cloud compares revisions. */
  onDoubt(): void;
}

export type ApplyConfig = (message: ConfigMessage) => Promise<'applied' | 'mismatch'>;

export interface ConfigInbox {
  /**
   * Queues a message, which is applied after those before it.
   * @param apply `mismatch`: the base or the result is not the one that the message names; nothing was changed
   */
  add(message: ConfigMessage, apply: ApplyConfig): void;
  close(): void;
}

export function createConfigInbox({ clock, logger, onDoubt }: ConfigInboxOptions): ConfigInbox {
  const waiting: ConfigMessage[] = [];
  let isApplying = false;
  let doubts = 0;
  let timer: Timer | null = null;

  function doubt(): void {
    if (timer !== null) return;
    timer = clock.setTimer(backoffDelayMs(DOUBT_BACKOFF, doubts, 1), () => {
      timer = null;
      onDoubt();
    });
    doubts += 1;
  }

  async function applyWaiting(apply: ApplyConfig): Promise<void> {
    for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
      const { section, base, revision } = message;
      const answer = await apply(message).catch((error: unknown) => {
        logger.error({ err: error, section, revision }, 'a configuration section could not be applied');
        return 'mismatch' as const;
      });
      if (answer === 'applied') {
        doubts = 0;
      } else {
        logger.warn({ section, base, revision }, 'a configuration section does not fit what is held: asking again');
        doubt();
      }
    }
  }

  return {
    add(message, apply) {
      if (waiting.length >= WAITING_MAX) {
        waiting.length = 0;
        doubt();
      }
      waiting.push(message);
      if (isApplying) return;
      isApplying = true;
      void applyWaiting(apply).finally(() => {
        isApplying = false;
      });
    },
    close() {
      waiting.length = 0;
      timer?.cancel();
    },
  };
}
