/** Bounds of histograms in seconds. Those of one kind of time have the same ones, so that they can be laid beside each other. */

/** What this process does within one request or message. */
export const WORK_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** What waits for something outside: a product that moves, a receiver of a webhook. */
export const OUTSIDE_S = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120];
/** From an event to what follows from it: days, when a gateway was without a network. */
export const LAG_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600, 86_400, 604_800];
