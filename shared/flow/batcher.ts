/** A batcher: collects items for a while, and sends them together, in their order. */
import type { Clock, Timer } from '../clock.js';

export interface Batcher<Item> {
  add(items: readonly Item[]): void;
  /** Sends at once what waits. */
  flush(): void;
  /** How many items wait. */
  readonly size: number;
  /** Forgets what waits. */
  close(): void;
}

/**
 * @param options.delayMs how long the first item waits for others; 0 or less: it is sent before `add` returns
 * @param options.onError called with what `send` throws after a wait; left out: it is thrown. Without a wait, `add` throws it
 */
export function createBatcher<Item>(options: {
  clock: Clock;
  delayMs(): number;
  send(items: readonly Item[]): void;
  onError?: (error: unknown) => void;
}): Batcher<Item> {
  const { clock, delayMs, send, onError } = options;
  let waiting: readonly Item[] = [];
  let timer: Timer | undefined;

  function drain(): readonly Item[] {
    timer?.cancel();
    timer = undefined;
    const drained = waiting;
    waiting = [];
    return drained;
  }
  function flush(): void {
    const items = drain();
    if (items.length === 0) return;
    try {
      send(items);
    } catch (error) {
      if (onError === undefined) throw error;
      onError(error);
    }
  }

  return {
    add(items) {
      const ms = timer === undefined ? delayMs() : 0;
      if (timer === undefined && ms <= 0) {
        send(items);
        return;
      }
      waiting = waiting.concat(items);
      timer ??= clock.setTimer(ms, flush);
    },
    flush,
    get size() {
      return waiting.length;
    },
    close: () => void drain(),
  };
}
