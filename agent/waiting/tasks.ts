import { createSharedAbort } from './shared-abort.js';

/** Tasks that run beside each other until their owner stops. */
export interface Tasks {
  /** Aborted when the owner stops. */
  readonly signal: AbortSignal;
  /** Makes `close` wait for the task, which never rejects. */
  add(task: Promise<unknown>): void;
  /** Aborts the signal, and waits until every task has ended. Idempotent. */
  close(): Promise<void>;
}

export function createTasks(): Tasks {
  const running = new Set<Promise<unknown>>();
  const closing = createSharedAbort();
  return {
    signal: closing.signal,
    add(task) {
      running.add(task);
      void task.finally(() => running.delete(task));
    },
    async close() {
      closing.abort(new Error('the gateway is stopping'));
      await Promise.all(running);
    },
  };
}
