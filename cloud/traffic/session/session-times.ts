/** Rules on the times that people give to a session. They are checked when a body is read, and again in the later transaction. */

/** A rule on a time, as wall milliseconds. */
export interface TimeRule {
  allows(at: number, now: number): boolean;
  readonly message: string;
}

/** A client's clock may be ahead by so much. */
const CLOCK_AHEAD_MAX_MS = 5_000;

export const BEGINNING_RULE: TimeRule = {
  allows: (at, now) => at >= 0 && at <= now + CLOCK_AHEAD_MAX_MS,
  message: 'Must be in the past, and not before 1970',
};

/** A camera whose clock is ahead may have begun the session in the near future; such a session may end when it began. */
export const endRule = ({ created_at }: { created_at: number }): TimeRule => ({
  allows: (at, now) => at >= created_at && at <= Math.max(now, created_at),
  message: "Must be between the session's created_at and now",
});
