import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Checkout, cloneProject } from '../world/checkout.js';
import { IS_LONG } from '../depth.js';
import { playBusyPort, playNewcomer } from '../world/newcomer.js';

/** Installing compiles the native modules. */
const START_WITHIN_MS = 900_000;

// One after the other: the demo's cameras and sensors have the ports that its site file names.
describe('newcomer story: a clean clone and npm start, on a machine with nothing but Node.js', () => {
  let checkout: Checkout;

  beforeAll(async () => {
    // What compiles the native modules anew is the set-up of the run itself, and the long tier.
    checkout = await cloneProject({ isInstalled: !IS_LONG });
  });

  afterAll(() => checkout?.remove());

  it(
    'installs, builds, starts, opens the barrier for the member, stops on Ctrl-C, and goes on with its state',
    {
      timeout: 2 * START_WITHIN_MS,
    },
    () => playNewcomer(checkout, START_WITHIN_MS),
  );

  it('says which port is taken, and ends', () => playBusyPort(checkout));
});
