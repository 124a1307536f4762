/**
 * From what the generated inputs of all tests are drawn. The runner's set-up derives it from the sources, so that what is green in one
 * clone is green in every other, and other sources are tested by other inputs; the deeper tiers draw it, to find what is rare. It is
 * printed. `TEST_SEED=N` gives it, `TEST_SEED=random` draws it.
 */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { IS_DEEP } from './depth.js';

const SEED_END = 2 ** 31;

/** Of the process: what the set-up chose, or a drawn one for a test that is run without it. */
export const SEED = Number(process.env['TEST_SEED'] ?? randomInt(SEED_END));

/** For the runner's set-up, before the processes of the tests start: chooses the seed and prints it. Throws on a seed that is no number. */
export function chooseSeed(): void {
  const given = process.env['TEST_SEED'] ?? '';
  const seed =
    given === '' && !IS_DEEP ? ofSources() : given === '' || given === 'random' ? randomInt(SEED_END) : Number(given);
  if (!Number.isInteger(seed) || seed < 0 || seed >= SEED_END) {
    throw new Error(`TEST_SEED is "${given}": it must be "random" or a whole number from 0 to ${SEED_END - 1}`);
  }
  process.env['TEST_SEED'] = String(seed);
  process.stdout.write(`generated inputs: TEST_SEED=${seed}\n`);
}

/** Of what is committed; drawn where the sources came without their history. */
function ofSources(): number {
  try {
    const tree = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number.parseInt(tree.slice(0, 8), 16) % SEED_END;
  } catch {
    return randomInt(SEED_END);
  }
}
