/** Commands over noble and bleno, on the emulated radio. */
import { commandSuite } from './command-suite.js';
import { startRadioWorld } from './radio-world.js';

commandSuite('commands over noble', startRadioWorld);
