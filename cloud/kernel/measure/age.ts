/** How old something is, in seconds. @param at since when there is it, @param now both wall milliseconds; a clock may have been set back */
export const ageS = (at: number, now: number): number => Math.max(0, now - at) / 1_000;
