import type { Clock } from '../../../shared/clock.js';
import { createBatcher } from '../../../shared/flow/batcher.js';

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
  let pauseUntil = clock.monotonic();
  let closed = false;
  const batcher = createBatcher<Item>({
    clock,
    delayMs: () => (closed ? 0 : pauseUntil - clock.monotonic()),
    send(items) {
      const begun = clock.monotonic();
      try {
        send(items);
      } finally {
        const ended = clock.monotonic();
        if (ended - begun >= PAUSE_FROM_MS) pauseUntil = ended + (ended - begun);
      }
    },
    onError,
  });
  return {
    push: batcher.add,
    get isWaiting() {
      return batcher.size > 0;
    },
    close() {
      closed = true;
      batcher.flush();
    },
  };
}
