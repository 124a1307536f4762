#!/usr/bin/env node
/** parking-sim: the simulated car park as a program. Exit codes: 0 done, 1 failed, 2 wrong use or bad input. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { inspect } from 'node:util';
import { pino } from 'pino';
import { readSiteFile } from '../../cloud/site/read-site-file.js';
import type { Logger } from '../../shared/logger.js';
import { agentUrlOf } from './agent-addresses.js';
import { type CarPark, carParkOf } from './car-park.js';
import { labelSecretOf } from './products/product-label.js';
import { parseCommandLine, type SimCommandLine } from './command-line.js';
import { createEmulatedSim } from './create-emulated-sim.js';

const [command, ...rest] = process.argv.slice(2);
if (command === 'serve') {
  // Whoever only plays the car park need not load a cloud.
  const { serve } = await import('./double/serve.js');
  process.exitCode = await serve(rest);
} else {
  const commandLine = parseCommandLine(process.argv.slice(2));
  process.exitCode = 'exitCode' in commandLine ? commandLine.exitCode : await main(commandLine);
}

async function main(options: SimCommandLine): Promise<number> {
  // Signals are handled from the beginning, so that a start in progress is ended cleanly too.
  const stopped = new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  const logger = pino({ level: options.debug ? 'debug' : 'warn' }, pino.destination({ dest: 2, sync: true }));
  let carPark: CarPark;
  try {
    carPark = await readCarPark(options.site, logger);
  } catch (error) {
    return fail(error, { exitCode: 2, debug: options.debug });
  }
  try {
    const { agents, radio: radioPath, control, latencyMs } = options;
    const sim = await createEmulatedSim({ carPark, agents, radioPath, control, latencyMs, logger });
    process.stdout.write(greeting(carPark, options));
    await stopped;
    await sim.close();
    return 0;
  } catch (error) {
    return fail(error, { exitCode: 1, debug: options.debug });
  }
}

async function readCarPark(file: string, logger: Logger): Promise<CarPark> {
  const content = await readFile(file, 'utf8').catch((cause) => {
    throw new Error(`cannot read the site file ${file}`, { cause });
  });
  return carParkOf(readSiteFile(file, content).site, logger);
}

function fail(error: unknown, { exitCode, debug }: { exitCode: number; debug: boolean }): number {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  const line = error instanceof Error ? `${error.message}${cause}` : String(error);
  process.stderr.write(`parking-sim: ${debug ? inspect(error) : line}\n`);
  return exitCode;
}

function greeting(
  { products, cameras, parkingGateways }: CarPark,
  { site, agents, radio, control }: SimCommandLine,
): string {
  const url = `http://${control.host.includes(':') ? `[${control.host}]` : control.host}:${control.port}`;
  const lines = [
    `Car park of ${basename(site)}, ready.`,
    `  radio     ${radio}   (an agent joins with BLE_HCI=sim:${radio})`,
    `  control   ${url}   (curl ${url}/ lists everything)`,
    ...products.map(({ device_id, type, name, master_key }) => {
      const label = Buffer.from(labelSecretOf(device_id)).toString('hex');
      const pairing = master_key === null ? `, not paired; label_secret ${label}` : '';
      return `  ${type.padEnd(9)} ${device_id}   ${name}${pairing}`;
    }),
    ...cameras.map(({ device_id, name, gateway_uuid }) => {
      return `  camera    ${device_id}   ${name}, pushes to ${agentUrlOf(agents, gateway_uuid) ?? 'nobody: no --agent for its gateway'}`;
    }),
    ...parkingGateways.map(
      ({ name, address, places }) =>
        `  sensors   ${name}   ${places.map((place) => place.name).join(', ')} at ${address}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
