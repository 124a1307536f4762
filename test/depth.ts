/**
 * How deep the tests go. `npm test` does what finds a mistake of today; `npm run test:deep` goes over the same tests with more runs,
 * kills and other seeds, to find what is rare; `npm run test:long` has no limit to that.
 */

/** `npm run test:deep` sets `deep`, `npm run test:long` sets `long` (`vitest.config.mjs`). */
const TIER = process.env['TEST_TIER'];
/** True in the deeper tiers. */
export const IS_DEEP = TIER === 'deep' || TIER === 'long';
/** True in the long tier, which also installs and compiles anew what the deep one takes from the checkout it runs in. */
export const IS_LONG = TIER === 'long';

/** Of what the deep tier multiplies more than so many times, the rest is the long tier's. */
const DEEP_FACTOR_MAX = 2;

const factorOf = (factor: number): number => {
  if (IS_LONG) return factor;
  return IS_DEEP ? Math.min(factor, DEEP_FACTOR_MAX) : 1;
};

/**
 * How many runs of a property, kills of a program or rounds of a loop: a multiple of `usual` in the deeper tiers, and in `npm test`
 * `usual` itself, or fewer where they take long and find what is rare.
 */
export const runs = (usual: number, factor = 3, inGate = usual): number =>
  IS_DEEP ? usual * factorOf(factor) : inGate;

/**
 * The same of a test that is in no tier but the deep ones: `usual` in the deep tier, a multiple of it in the long one. Twice the kills of one
 * run show what two runs do, each of which has a seed of its own.
 */
export const longRuns = (usual: number, factor = 3): number => (IS_LONG ? usual * factor : usual);

/** The time limit of a test whose runs are counted by `runs`: as many times longer as it does more. Milliseconds. */
export const runsTimeoutMs = (usualMs: number, factor = 3): number => usualMs * factorOf(factor);

/**
 * Of a long table of cases one in `share`, beginning with the one at `from`; all of them in the deep tier. Cases that are tried for
 * several subjects begin elsewhere for each, so that `npm test` tries each case on some of them.
 */
export const someOf = <T>(cases: readonly T[], share: number, from = 0): readonly T[] =>
  IS_DEEP ? cases : cases.filter((_, index) => (index + from) % share === 0);
