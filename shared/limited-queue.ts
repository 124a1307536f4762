/** A queue that runs a limited number of calls at once, while a limited number of others wait in order. */

export interface LimitedQueue {
  /** Runs `work` when its turn comes; rejects at once with QueueFullError when too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
}

export class QueueFullError extends Error {
  constructor(name: string, waitingMax: number) {
    super(`${name}: ${waitingMax} already wait; try again later`);
    this.name = 'QueueFullError';
  }
}

export function createLimitedQueue(options: { name: string; concurrency: number; waitingMax: number }): LimitedQueue {
  const waiting: (() => void)[] = [];
  const idlers: (() => void)[] = [];
  let running = 0;

  function finish(): void {
    const next = waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    running -= 1;
    if (running === 0) for (const resolve of idlers.splice(0)) resolve();
  }

  return {
    async run(work) {
      if (running < options.concurrency) {
        running += 1;
      } else {
        if (waiting.length >= options.waitingMax) throw new QueueFullError(options.name, options.waitingMax);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      try {
        return await work();
      } finally {
        finish();
      }
    },
    idle() {
      return running === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve));
    },
  };
}
