#!/usr/bin/env node
/** parking-sim as it is packed for integrators: the test double alone, without the emulated radio. Exit codes: 0 done, 1 failed, 2 wrong use or bad input. */
import '../../../shared/node/connection-attempts.js';
import { VERSION } from '../../../shared/version.js';
import { serve } from './serve.js';

const USAGE = 'Usage: parking-sim serve --site FILE [options]; parking-sim serve --help shows them all.\n';

const [command, ...rest] = process.argv.slice(2);
process.exitCode = await main();

async function main(): Promise<number> {
  if (command === 'serve') return serve(rest);
  if (command === '--version' || command === 'version') {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const isAsked = command === '--help' || command === 'help';
  (isAsked ? process.stdout : process.stderr).write(USAGE);
  return isAsked ? 0 : 2;
}
