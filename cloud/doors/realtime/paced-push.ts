import type { Clock, Timer } from '../../../shared/clock.js';

/** After a shorter push there is no pause: the few listeners of a car park get everything at once. */
const PAUSE_FROM_MS = 2;

/** Pushes items in their order. */
export interface PacedPush<Item> {
  push(items: readonly Item[]): void;
  /** Whether items wait. */
  readonly isWaiting: boolean;
  /** Pushes what waits, and from then on everything at once. */
  close(): void;
}

/**
 * Usually pushes at once. After a push that kept the thread busy for a while, the next one waits as long as that one took, and includes
 * all that comes meanwhile. So even when commits follow each other fast, thousands of listeners use only half of a thread that gateways
 * and requests need too, and a burst reaches each of them in few writes.
 * @param options.onError gets what a push after a pause throws; an immediate push throws to its caller
 */
export function createPacedPush<Item>(options: {
  clock: Clock;
  send: (items: readonly Item[]) => void;
  onError: (error: unknown) => void;
}): PacedPush<Item> {
  const { clock, send, onError } = options;
  let waiting: Item[] = [];
  let pause: Timer | undefined;
  let closed = false;

  const sendNow = (items: readonly Item[]) => {
    const begun = clock.monotonic();
    try {
      send(items);
    } finally {
      const tookMs = clock.monotonic() - begun;
      if (tookMs >= PAUSE_FROM_MS && !closed) pause = clock.setTimer(tookMs, sendWaiting);
    }
  };
  const sendWaiting = () => {
    pause = undefined;
    const items = waiting;
    waiting = [];
    if (items.length === 0) return;
    try {
      sendNow(items);
    } catch (error) {
      onError(error);
    }
  };

  return {
    push(items) {
      if (pause === undefined) sendNow(items);
      else waiting = waiting.concat(items);
    },
    get isWaiting() {
      return waiting.length > 0;
    },
    close() {
      closed = true;
      pause?.cancel();
      sendWaiting();
    },
  };
}
