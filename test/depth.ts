/**
 * How deep the tests go. `npm test` does what finds a mistake of today; `npm run test:deep` goes over the same tests with more runs,
 * kills and other seeds, to find what is rare.
 */

/** `npm run test:deep` sets it. */
const IS_DEEP = process.env.TEST_DEPTH === 'deep';

/** How many runs of a property, kills of a program or rounds of a loop: `usual` in `npm test`, a multiple of it in the deep tier. */
export const runs = (usual: number, factor = 3): number => (IS_DEEP ? usual * factor : usual);

/** The time limit of a test whose runs are counted by `runs`: as many times longer as it does more. Milliseconds. */
export const runsTimeoutMs = (usualMs: number, factor = 3): number => (IS_DEEP ? usualMs * factor : usualMs);

/**
 * Of a long table of cases one in `share`, beginning with the one at `from`; all of them in the deep tier. Cases that are tried for
 * several subjects begin elsewhere for each, so that `npm test` tries each case on some of them.
 */
export const someOf = <T>(cases: readonly T[], share: number, from = 0): readonly T[] =>
  IS_DEEP ? cases : cases.filter((_, index) => (index + from) % share === 0);
