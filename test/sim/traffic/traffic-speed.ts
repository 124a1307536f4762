/** How many times faster than the clock traffic may be: a barrier lets no more through. */
export const SPEED_MAX = 60;
