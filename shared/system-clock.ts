import type { Clock } from './clock.js';

/** The real clock: the only place of the project that asks the machine for the time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, fire) {
    const handle = setTimeout(fire, delayMs);
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};
