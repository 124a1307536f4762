import type { Clock } from './clock.js';

/** The real clock. Nothing else in the project reads the time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, fire) {
    const handle = setTimeout(fire, delayMs);
    // In a browser the handle is a number and there is no process to keep alive.
    if (typeof handle === 'object') handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

/** The real clock with timers that keep the process alive, for programs that only wait for timers. */
export const wakefulClock: Clock = {
  ...systemClock,
  setTimer(delayMs, fire) {
    const handle = setTimeout(fire, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};
