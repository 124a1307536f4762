import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Checkout, cloneProject } from '../sim/world/checkout.js';
import { playBusyPort, playNewcomer } from '../sim/world/newcomer.js';

const START_WITHIN_MS = 120_000;

describe('newcomer story: a fresh clone and npm start (packages linked; `npm run test:clone` installs them)', () => {
  let checkout: Checkout;

  beforeAll(async () => {
    checkout = await cloneProject('linked');
  });

  afterAll(() => checkout?.remove());

  it(
    'builds, starts, opens the barrier for the member, stops on Ctrl-C, and goes on with its state',
    { timeout: 300_000 },
    () => playNewcomer(checkout, START_WITHIN_MS),
  );

  it('says which port is taken, and ends', { timeout: 120_000 }, () => playBusyPort(checkout));
});
