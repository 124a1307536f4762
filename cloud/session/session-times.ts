/** What people may say of a session's times: asked when a body is read, and again in the transaction, when time has passed. */

/** A rule on a time, as wall milliseconds. */
export interface TimeRule {
  allows(at: number, now: number): boolean;
  readonly message: string;
}

export const BEGINNING_RULE: TimeRule = {
  allows: (at, now) => at >= 0 && at <= now,
  message: 'Must be in the past, and not before 1970',
};

/** A camera whose clock is ahead may have begun the session a moment from now: then it may end just there. */
export const endRule = ({ created_at }: { created_at: number }): TimeRule => ({
  allows: (at, now) => at >= created_at && at <= Math.max(now, created_at),
  message: "Must be between the session's created_at and now",
});
