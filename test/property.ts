/** fast-check with the seed of the run: tests take it from here, so that a run can be repeated. */
import { configureGlobal } from 'fast-check';
import { SEED } from './seed.js';

configureGlobal({ seed: SEED });

export * from 'fast-check';
