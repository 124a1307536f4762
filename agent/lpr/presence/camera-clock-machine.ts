/**
 * Judges whether a read is of now, by what is known of the clock of its camera. Delays only ever add, so the smallest difference (arrival
 * minus the camera's time) seen lately is the error of that clock, and a read whose difference is larger by more than 30 s is late.
 *
 * Differences of this start of the gateway are counted on its monotonic clock, so that they stay right when its wall clock is put right.
 * Pure.
 */
import { BUILT_MS } from '../../../shared/decide-device-time.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.js';

/** A read that comes later than this is of the past; two differences that lie no further apart are the same. */
export const LATE_MS = 30_000;
/** A second read settles a clock's error only after this time, because reads that waited come all at once. */
const SETTLES_AFTER_MS = 30_000;
/**
 * Where another error was seen lately, reads have to agree for longer: a clock falls back when it is set, at the end of summer time, or at a
 * power cut, and nobody may be locked out for ever by that.
 */
const OVERRULES_AFTER_MS = 10 * MINUTE_MS;
const OVERRULES_READS = 3;
const STATED_MAX = 8;
/** For so long an error that no read confirmed counts as seen lately. */
const SEEN_LATELY_MS = DAY_MS;
/** The smallest difference is that of the last two such spans, so that a clock may drift by seconds a day. */
const SPAN_MS = 12 * HOUR_MS;

/** The error of a camera's clock as it is kept over restarts. */
export interface KeptClock {
  /** Arrival minus the camera's time, in wall milliseconds; negative: the clock is ahead. */
  behind_ms: number;
  /** When a read last agreed with it, in wall milliseconds. */
  confirmed_ms: number;
}

/** The smallest differences of this start, in monotonic milliseconds. */
interface RunClock {
  smallest_ms: number;
  /** That of the span before; null: there was none. */
  before_ms: number | null;
  since_mono_ms: number;
  confirmed_mono_ms: number;
  /** The gateway knew the time at one of these reads. */
  is_proven: boolean;
}

/** Late reads that agree: perhaps it is the clock that is behind. */
interface Candidate {
  difference_ms: number;
  first_mono_ms: number;
  last_mono_ms: number;
  /** The times of these reads by the camera's clock, the newest last: a read that is only sent again proves nothing. */
  stated_ms: readonly number[];
}

export interface CameraClock {
  readonly kept: KeptClock | null;
  readonly run: RunClock | null;
  readonly candidate: Candidate | null;
}

export const UNKNOWN_CLOCK: CameraClock = { kept: null, run: null, candidate: null };

/** When something arrived, by the gateway's clocks. */
export interface Arrival {
  wall_ms: number;
  mono_ms: number;
  /** Whether the wall clock can be trusted. */
  is_clock_known: boolean;
}

/** The time that a read states. */
export interface StatedTime {
  /** By the camera's clock; null: the camera wrote none. */
  camera_ms: number | null;
  /** The other moment that a wall time of the camera may stand for, because clocks were set back. Left out: there is none. */
  again_ms?: number | undefined;
  /** `history`: of a memory or a buffer. `retransmission`: sent late, or sent again. null: the vendor does not mark it. */
  mark: 'history' | 'retransmission' | null;
}

export interface JudgedTime {
  is_late: boolean;
  /** Late by the camera's clock alone: perhaps that clock is behind. */
  is_late_by_clock: boolean;
  /** The time by the camera's clock; of two possible ones that which fits. null: none was told. */
  camera_ms: number | null;
  /** The error of the camera's clock; null: not known. */
  behind_ms: number | null;
}

/** The difference that is known, in monotonic milliseconds; null: none is. */
function knownOf({ kept, run }: CameraClock, arrival: Arrival): number | null {
  if (run !== null) return Math.min(run.smallest_ms, run.before_ms ?? Infinity);
  if (kept === null || !arrival.is_clock_known) return null;
  return kept.behind_ms - (arrival.wall_ms - arrival.mono_ms);
}

function isSeenLately({ kept, run }: CameraClock, { wall_ms, mono_ms }: Arrival): boolean {
  if (run !== null) return mono_ms - run.confirmed_mono_ms <= SEEN_LATELY_MS;
  return kept !== null && Math.abs(wall_ms - kept.confirmed_ms) <= SEEN_LATELY_MS;
}

/**
 * Judges the earlier observations once the gateway knows the time. An error kept from an earlier start counts, and a
 * camera that is behind it now only seems to be: its next read settles that.
 */
function provenClock(clock: CameraClock, arrival: Arrival): CameraClock {
  const { kept, run } = clock;
  if (!arrival.is_clock_known || run === null || run.is_proven) return clock;
  const known = knownOf({ ...clock, run: null }, arrival);
  const limit = known ?? arrival.mono_ms - arrival.wall_ms;
  const seen = Math.min(run.smallest_ms, run.before_ms ?? Infinity);
  if (seen <= limit + LATE_MS) {
    const smallest_ms = known === null ? seen : Math.min(seen, known);
    return { kept, run: { ...run, smallest_ms, before_ms: null, is_proven: true }, candidate: clock.candidate };
  }
  const candidate: Candidate = {
    difference_ms: seen,
    first_mono_ms: run.since_mono_ms,
    last_mono_ms: run.confirmed_mono_ms,
    stated_ms: [run.since_mono_ms - seen],
  };
  // After a loss of the time it is not certain that the camera kept its own.
  return { kept: kept === null ? null : { ...kept, confirmed_ms: -Infinity }, run: null, candidate };
}

/** Takes the difference of a read that is of now. */
function learn(clock: CameraClock, difference_ms: number, arrival: Arrival): CameraClock {
  const { mono_ms, is_clock_known } = arrival;
  const known = knownOf(clock, arrival);
  const before = clock.run ?? {
    smallest_ms: difference_ms,
    before_ms: known,
    since_mono_ms: mono_ms,
    confirmed_mono_ms: mono_ms,
    is_proven: false,
  };
  const isOver = mono_ms - before.since_mono_ms > SPAN_MS;
  const run: RunClock = {
    smallest_ms: isOver ? difference_ms : Math.min(before.smallest_ms, difference_ms),
    before_ms: isOver ? before.smallest_ms : before.before_ms,
    since_mono_ms: isOver ? mono_ms : before.since_mono_ms,
    confirmed_mono_ms: mono_ms,
    is_proven: before.is_proven || is_clock_known,
  };
  return { kept: clock.kept, run, candidate: null };
}

/** Begins anew with an error that is certain. */
export function settled(difference_ms: number, { mono_ms, is_clock_known }: Arrival): CameraClock {
  const run = {
    smallest_ms: difference_ms,
    before_ms: null,
    since_mono_ms: mono_ms,
    confirmed_mono_ms: mono_ms,
    is_proven: is_clock_known,
  };
  return { kept: null, run, candidate: null };
}

interface LateRead {
  difference_ms: number;
  camera_ms: number;
  arrival: Arrival;
}

/** A camera whose time is that of the gateway has a clock that is right, even if it was ahead before. */
const isRight = ({ camera_ms, arrival }: LateRead): boolean =>
  arrival.is_clock_known && Math.abs(arrival.wall_ms - camera_ms) <= LATE_MS;

/** Compares a late read with the late ones before it. */
function nextCandidate(before: Candidate | null, read: LateRead): Candidate {
  const { difference_ms, camera_ms, arrival } = read;
  const { mono_ms } = arrival;
  const first = { difference_ms, first_mono_ms: mono_ms, last_mono_ms: mono_ms, stated_ms: [camera_ms] };
  // Delays only add: a smaller difference shows that the larger one was none of the clock.
  if (before === null || difference_ms < before.difference_ms - LATE_MS) return first;
  if (difference_ms > before.difference_ms + LATE_MS)
    return isRight(read) || mono_ms - before.last_mono_ms > OVERRULES_AFTER_MS ? first : before;
  if (before.stated_ms.includes(camera_ms)) return before;
  return { ...before, last_mono_ms: mono_ms, stated_ms: [...before.stated_ms, camera_ms].slice(-STATED_MAX) };
}

/** Says whether late reads have agreed for long enough. */
function isSettled(candidate: Candidate, read: LateRead, clock: CameraClock): boolean {
  const { arrival, camera_ms } = read;
  if (candidate.stated_ms.at(-1) !== camera_ms) return false;
  const forMs = arrival.mono_ms - candidate.first_mono_ms;
  const reads = candidate.stated_ms.length;
  if (isUnsure(clock, arrival) || isRight(read)) return reads > 1 && forMs >= SETTLES_AFTER_MS;
  return reads >= OVERRULES_READS && forMs >= OVERRULES_AFTER_MS;
}

/**
 * Chooses the moment of a wall time that clocks showed twice: the later one if the earlier one is late and the later
 * one is not in the future.
 */
function fittingTime(stated: StatedTime, known: number | null, arrival: Arrival): number | null {
  const { camera_ms, again_ms } = stated;
  if (camera_ms === null || again_ms === undefined) return camera_ms;
  const limit = known ?? (arrival.is_clock_known ? arrival.mono_ms - arrival.wall_ms : null);
  if (limit === null || arrival.mono_ms - camera_ms <= limit + LATE_MS) return camera_ms;
  return arrival.mono_ms - again_ms >= limit - LATE_MS ? again_ms : camera_ms;
}

/**
 * Judges a read, and what it shows of its camera's clock.
 * @returns the clock as it is known afterwards
 */
export function judgeRead(
  before: CameraClock,
  stated: StatedTime,
  arrival: Arrival,
): { judged: JudgedTime; clock: CameraClock } {
  const clock = provenClock(before, arrival);
  const known = knownOf(clock, arrival);
  const offset_ms = arrival.wall_ms - arrival.mono_ms;
  const camera_ms = fittingTime(stated, known, arrival);
  const end = (is_late: boolean, after: CameraClock, is_late_by_clock = false) => {
    const judged = { is_late, is_late_by_clock, camera_ms, behind_ms: behindMs(after, arrival) };
    return { judged, clock: after };
  };
  // A read that a vendor marks may be of another clock than present reads, so that it shows nothing of theirs.
  if (stated.mark === 'history') return end(true, clock);
  if (camera_ms === null || camera_ms < BUILT_MS) return end(stated.mark !== null, clock);
  const difference_ms = arrival.mono_ms - camera_ms;
  // Without a known error, the camera's clock counts as right where the gateway's does.
  const limit = known ?? (arrival.is_clock_known ? -offset_ms : null);
  if (stated.mark === 'retransmission') {
    const isOfNow = limit !== null && Math.abs(difference_ms - limit) <= LATE_MS;
    return end(!isOfNow, isOfNow ? learn(clock, difference_ms, arrival) : clock);
  }
  if (limit === null || difference_ms <= limit + LATE_MS) return end(false, learn(clock, difference_ms, arrival));
  const late = { difference_ms, camera_ms, arrival };
  const candidate = nextCandidate(clock.candidate, late);
  if (isSettled(candidate, late, clock))
    return end(false, settled(Math.min(candidate.difference_ms, difference_ms), arrival));
  return end(true, { ...clock, candidate }, true);
}

/** The error of the clock, in wall milliseconds; null: not known. */
export function behindMs(clock: CameraClock, arrival: Arrival): number | null {
  const known = knownOf(clock, arrival);
  return known === null ? null : Math.round(known + arrival.wall_ms - arrival.mono_ms);
}

/** Says whether a late read shows an error of the clock as well as a delay, because no error was seen lately. */
export const isUnsure = (clock: CameraClock, arrival: Arrival): boolean =>
  knownOf(clock, arrival) === null || !isSeenLately(clock, arrival);

/** The error of the clock as this start knows it, to be kept over a restart; null: this start does not know it for certain. */
export function keptOf({ run }: CameraClock, arrival: Arrival): KeptClock | null {
  if (!arrival.is_clock_known || run === null || !run.is_proven) return null;
  const offset_ms = arrival.wall_ms - arrival.mono_ms;
  const known = Math.min(run.smallest_ms, run.before_ms ?? Infinity);
  return { behind_ms: Math.round(known + offset_ms), confirmed_ms: Math.round(run.confirmed_mono_ms + offset_ms) };
}
