/** fast-check with the seed of the run: tests take it from here, so that a run can be repeated. */
import { configureGlobal, integer } from 'fast-check';
import { SEED } from './seed.js';

configureGlobal({ seed: SEED });

export * from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;

/** Any character of Unicode, as unit of a string. fast-check's own one (`binary`) takes seconds to make, and 85 MB for good. */
export const anyCharacter = integer({ min: 0, max: 0x10_ffff - SURROGATES }).map((at) =>
  String.fromCodePoint(at < SURROGATES_FROM ? at : at + SURROGATES),
);
