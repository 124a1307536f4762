/**
 * Decides why reads come long after their capture, when the camera does not say why. Either its clock is behind, or it sends what it could
 * not send before. A clock makes all reads late by the same time; reads that waited come all at once, each late by another time.
 */

export interface LateReads {
  /** How late the reads are by the camera's clock, in milliseconds. */
  behind_ms: number;
  /** When the first read came that was late by this time, on the monotonic clock. */
  since_mono_ms: number;
  /** The reads have been late by the same time for a while, so that the clock is behind. */
  is_steady: boolean;
}

/** How much the lateness varies with one clock, because of the network and of the time that the camera needs to read a plate. */
const SAME_MS = 10_000;
/** Reads that waited are all sent within less time. */
const STEADY_AFTER_MS = 30_000;

/** @param before what was known; null: nothing, or the last read was not late */
export function decideLateReads(
  before: LateReads | null,
  read: { behind_ms: number; arrived_mono_ms: number },
): LateReads {
  const { behind_ms, arrived_mono_ms } = read;
  if (before === null || Math.abs(behind_ms - before.behind_ms) > SAME_MS)
    return { behind_ms, since_mono_ms: arrived_mono_ms, is_steady: false };
  // The figure is not updated, so that the reported problem does not change with each vehicle.
  return { ...before, is_steady: before.is_steady || arrived_mono_ms - before.since_mono_ms >= STEADY_AFTER_MS };
}

/** Describes the problem, for people. */
export function lateProblem(late: LateReads): string {
  const seconds = Math.round(late.behind_ms / 1_000);
  return late.is_steady
    ? `its clock is ${seconds} s behind: its reads count as of the past and open nothing; set its clock, best by a time server`
    : `its last read came ${seconds} s after its capture, counts as of the past and opened nothing: its clock is behind, or it sent what had waited`;
}
