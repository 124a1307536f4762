/** A camera's clock, which may be wrong until somebody sets it. */
export interface SimCameraClock {
  now(): number;
  set(epochMs: number): void;
}

/** @param offMs by how much it is ahead; below 0: behind */
export function createCameraClock(now: () => number = Date.now, offMs = 0): SimCameraClock {
  let aheadMs = offMs;
  return {
    now: () => now() + aheadMs,
    set(epochMs) {
      aheadMs = epochMs - now();
    },
  };
}
