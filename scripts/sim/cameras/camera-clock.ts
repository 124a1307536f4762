/** A camera's clock: it begins ten minutes behind, and is right once somebody has set it. */
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
