import type { Clock, Timer } from '../../shared/clock.js';
import { onAbort } from './on-abort.js';

export interface WaitOptions<T> {
  clock: Clock;
  /** Without it only the signals end the wait. */
  timeoutMs?: number;
  /** Builds the error of a wait that took too long. */
  timedOut?: () => Error;
  /** Any of them ends the wait with its reason. */
  signals: readonly AbortSignal[];
  /** Begins to listen, and returns how to stop. It may settle before it returns. */
  listen: (done: (value: T) => void, fail: (reason: unknown) => void) => () => void;
}

/** Waits until an event comes, the time is over, or a signal is aborted. It leaves no listener behind. */
export function waitFor<T>(options: WaitOptions<T>): Promise<T> {
  const { clock, timeoutMs, timedOut, signals, listen } = options;
  return new Promise<T>((resolve, reject) => {
    const aborted = signals.find((signal) => signal.aborted);
    if (aborted !== undefined) {
      reject(aborted.reason);
      return;
    }
    let settled = false;
    let timer: Timer | undefined;
    let stopListening: (() => void) | undefined;
    const settle = () => {
      settled = true;
      timer?.cancel();
      stopListening?.();
      stopAborts();
    };
    const fail = (reason: unknown) => {
      if (!settled) settle();
      reject(reason);
    };
    const stopAborts = onAbort(signals, fail);
    if (timeoutMs !== undefined) {
      timer = clock.setTimer(timeoutMs, () => {
        // This comes before `timedOut`, which may cause one of the other ends.
        settle();
        reject(timedOut?.() ?? new Error(`Nothing happened within ${timeoutMs} ms`));
      });
    }
    try {
      stopListening = listen((value) => {
        if (!settled) settle();
        resolve(value);
      }, fail);
    } catch (error) {
      fail(error);
    }
    // The wait settled before there was a listener to stop.
    if (settled) stopListening?.();
  });
}
