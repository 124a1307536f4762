/** A gateway of one radio, for tests that end it: `node child-radio-owner.js PATH` joins the hub there and prints "on". */
import { GATEWAY } from './gateway.js';
import { childRadio } from '../../world/test-radios.js';

const path = process.argv[2] ?? '';
const radio = childRadio({ kind: 'sim', path, name: GATEWAY });
radio.onStateChange((state) => process.stdout.write(`${state}\n`));
