import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Checkout, cloneProject } from '../sim/world/checkout.js';
import { playNewcomer } from '../sim/world/newcomer.js';

/** Installing compiles the native modules. */
const START_WITHIN_MS = 900_000;

describe('a clean clone on a machine with nothing but Node.js', () => {
  let checkout: Checkout;

  beforeAll(async () => {
    checkout = await cloneProject('installed');
  });

  afterAll(() => checkout?.remove());

  it('installs, builds, starts and works', { timeout: 2 * START_WITHIN_MS }, () =>
    playNewcomer(checkout, START_WITHIN_MS),
  );
});
