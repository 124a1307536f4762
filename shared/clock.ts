/** Time as an argument: everything that waits or reads the time is given a Clock, so that tests can run days in milliseconds. */

/** A pending timer; `cancel` is idempotent. */
export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Wall time, milliseconds since 1970. It may jump, so never measure a duration with it. */
  now(): number;
  /** Milliseconds since an arbitrary moment of this process; never goes back. */
  monotonic(): number;
  /** Calls `fire` once, `delayMs` later. A timer does not keep the process alive. */
  setTimer(delayMs: number, fire: () => void): Timer;
}

/** Resolves after `delayMs`; rejects with the signal's reason when it is aborted first. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Calls `work` every `periodMs`, first after one period. A call begins only after the previous one has ended. Errors go to `onError`. */
export function every(options: {
  clock: Clock;
  periodMs: number;
  work: () => Promise<void> | void;
  onError: (error: unknown) => void;
}): Timer {
  let cancelled = false;
  let timer: Timer | undefined;
  const arm = () => {
    timer = options.clock.setTimer(options.periodMs, () => {
      void Promise.resolve()
        .then(options.work)
        .catch(options.onError)
        .then(() => {
          if (!cancelled) arm();
        });
    });
  };
  arm();
  return {
    cancel() {
      cancelled = true;
      timer?.cancel();
    },
  };
}
