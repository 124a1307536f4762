/** A queue that runs a limited number of calls at once and lets a limited number of further calls wait in order. */
import { createFairQueue } from './fair-queue.js';

export interface LimitedQueue {
  /** Runs `work` when its turn comes. Rejects with QueueFullError at once when too many calls wait already. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
}

export function createLimitedQueue(options: { name: string; concurrency: number; waitingMax: number }): LimitedQueue {
  const queue = createFairQueue({ ...options, waitingPerShareMax: options.waitingMax });
  return { run: (work) => queue.run('', work), idle: queue.idle };
}
