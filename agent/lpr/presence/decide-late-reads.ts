/**
 * Reads that come long after their capture, by a camera that never says why: its clock is behind, or it sends what it could not send
 * before. A clock is behind by the same time at every read, while what waited comes all at once, each read late by another time.
 */

export interface LateReads {
  /** How late the reads are by the camera's own clock, in milliseconds. */
  behind_ms: number;
  /** Moment of the monotonic clock at which the first read came that was late by this time. */
  since_mono_ms: number;
  /** They have been late by the same time for a while: the clock is behind. */
  is_steady: boolean;
}

/** How much the lateness of one clock varies: by the way through the network, and by what the camera needs to read a plate. */
const SAME_MS = 10_000;
/** What waited is sent within less. */
const STEADY_AFTER_MS = 30_000;

/** `before`: what was known; null: nothing, or the last read was not late. */
export function decideLateReads(
  before: LateReads | null,
  read: { behind_ms: number; arrived_mono_ms: number },
): LateReads {
  const { behind_ms, arrived_mono_ms } = read;
  if (before === null || Math.abs(behind_ms - before.behind_ms) > SAME_MS)
    return { behind_ms, since_mono_ms: arrived_mono_ms, is_steady: false };
  // The figure stands still, so that what is told of the camera does not change with every vehicle.
  return { ...before, is_steady: before.is_steady || arrived_mono_ms - before.since_mono_ms >= STEADY_AFTER_MS };
}

/** Says what is wrong, for people. */
export function lateProblem(late: LateReads): string {
  const seconds = Math.round(late.behind_ms / 1_000);
  return late.is_steady
    ? `its clock is ${seconds} s behind: its reads count as of the past and open nothing; set its clock, best by a time server`
    : `its last read came ${seconds} s after its capture, counts as of the past and opened nothing: its clock is behind, or it sent what had waited`;
}
