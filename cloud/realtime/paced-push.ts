import type { Clock, Timer } from '../../shared/clock.js';

/** A shorter hand-over is not worth a pause: the few listeners of a car park hear of everything at once. */
const PAUSE_FROM_MS = 2;

/** Hands items on in their order. */
export interface PacedPush<Item> {
  push(items: readonly Item[]): void;
  /** Hands on what waits, and from then on everything at once. */
  close(): void;
}

/**
 * At once, as a rule. After a hand-over that kept the thread for a while the next waits as long as that one took, and what comes
 * meanwhile goes together: however fast commits follow each other, thousands of listeners take half of a thread that gateways and
 * requests need too, and a burst reaches each of them in few writes.
 * @param options.onError told of what a hand-over after a pause throws; one at once throws to who pushes
 */
export function createPacedPush<Item>(options: {
  clock: Clock;
  hand: (items: readonly Item[]) => void;
  onError: (error: unknown) => void;
}): PacedPush<Item> {
  const { clock, hand, onError } = options;
  let waiting: Item[] = [];
  let pause: Timer | undefined;
  let closed = false;

  const handNow = (items: readonly Item[]) => {
    const begun = clock.monotonic();
    try {
      hand(items);
    } finally {
      const tookMs = clock.monotonic() - begun;
      if (tookMs >= PAUSE_FROM_MS && !closed) pause = clock.setTimer(tookMs, handWaiting);
    }
  };
  const handWaiting = () => {
    pause = undefined;
    const items = waiting;
    waiting = [];
    if (items.length === 0) return;
    try {
      handNow(items);
    } catch (error) {
      onError(error);
    }
  };

  return {
    push(items) {
      if (pause === undefined) handNow(items);
      else waiting = waiting.concat(items);
    },
    close() {
      closed = true;
      pause?.cancel();
      handWaiting();
    },
  };
}
