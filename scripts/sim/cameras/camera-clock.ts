/** A camera's clock: set by hand once, ten minutes behind by now, and right once somebody sets it. */
const BEHIND_MS = 600_000;

export interface SimCameraClock {
  now(): number;
  set(epochMs: number): void;
}

export function createCameraClock(): SimCameraClock {
  let behindMs = BEHIND_MS;
  return {
    now: () => Date.now() - behindMs,
    set(epochMs) {
      behindMs = Date.now() - epochMs;
    },
  };
}
