/** Sends a product's messages in order, and delays its answers if a delay is set. */
import type { Clock, Timer } from '../../../shared/clock.js';

/** First byte of a STATUS: the only message that is an answer to a command. */
const STATUS_TYPE = 0x82;

export interface AnswerSender {
  send(message: Uint8Array, delayMs: number): void;
  /** Calls `then` when nothing waits to be sent: at once, or after the last answer. */
  whenSent(then: () => void): void;
  /** Drops what waits, because nobody listens any more. */
  clear(): void;
}

export function createAnswerSender(clock: Clock, transmit: (message: Uint8Array) => void): AnswerSender {
  const waiting = new Set<Timer>();
  let afterLast: (() => void) | null = null;
  return {
    send(message, delayMs) {
      if (message[0] !== STATUS_TYPE || delayMs === 0) {
        transmit(message);
        return;
      }
      const timer = clock.setTimer(delayMs, () => {
        waiting.delete(timer);
        transmit(message);
        if (waiting.size > 0) return;
        const then = afterLast;
        afterLast = null;
        then?.();
      });
      waiting.add(timer);
    },
    whenSent(then) {
      if (waiting.size === 0) then();
      else afterLast = then;
    },
    clear() {
      for (const timer of waiting) timer.cancel();
      waiting.clear();
      afterLast = null;
    },
  };
}
