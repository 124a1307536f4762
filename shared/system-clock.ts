import type { Clock } from './clock.js';

/** The real clock: the only place of the project that asks the machine for the time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, fire) {
    const handle = setTimeout(fire, delayMs);
    // A browser's handle is a number: there is no process to keep alive.
    if (typeof handle === 'object') handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

/** The real clock with timers that keep the process alive: for programs that wait for nothing else. */
export const wakefulClock: Clock = {
  ...systemClock,
  setTimer(delayMs, fire) {
    const handle = setTimeout(fire, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};
