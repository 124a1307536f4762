/** A gateway of one radio, for tests that end it: `node child-radio-owner.js PATH` joins the hub there and prints "on". */
import { createChildRadio } from '../../../agent/product/radio-process/child-radio.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { GATEWAY } from './gateway.js';

const path = process.argv[2] ?? '';
const radio = createChildRadio({
  hci: { kind: 'sim', path, name: GATEWAY },
  clock: systemClock,
  logger: silentLogger,
  random: Math.random,
});
radio.onStateChange((state) => process.stdout.write(`${state}\n`));
