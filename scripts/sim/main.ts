#!/usr/bin/env node
/** parking-sim: the simulated car park as a program. Exit codes: 0 done, 1 failed, 2 wrong use or bad input. */
import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pino } from 'pino';
import type { Site } from '../../cloud/all-resources.js';
import { readSiteFile } from '../../cloud/doors/site-file/read-site-file.js';
import type { Logger } from '../../shared/logger.js';
import { DONE, endWithReader, FAILED, printError, WRONG_USE } from '../../shared/node/program.js';
import { systemClock } from '../../shared/system-clock.js';
import { agentUrlOf } from './agent-addresses.js';
import { type CarPark, carParkOf } from './car-park.js';
import { labelSecretOf } from './products/product-label.js';
import { parseCommandLine, printVersion, SEED_MAX, type SimCommandLine, type TrafficChoice } from './command-line.js';
import { createEmulatedSim } from './create-emulated-sim.js';
import { createSim, type Sim } from './create-sim.js';
import { createAdapterAir } from './radio/adapter-air.js';
import type { TrafficPlan } from './traffic/traffic.js';
import { type TrafficLot, trafficLotsOf } from './traffic/traffic-lots.js';
import { localDay, localTime } from './traffic/traffic-schedule.js';
import { errorText } from '../../shared/error-text.js';

endWithReader('parking-sim');
const [command, ...rest] = process.argv.slice(2);
if (command === 'version') process.exitCode = printVersion(rest);
else if (command === 'serve') {
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
  let traffic: TrafficPlan | undefined;
  try {
    const site = await readSite(options.site);
    carPark = carParkOf(site, logger);
    traffic = options.traffic === null ? undefined : planTraffic(trafficLotsOf(site), options.traffic);
  } catch (error) {
    printError('parking-sim', error, options);
    return WRONG_USE;
  }
  try {
    const sim = await start({ carPark, traffic }, options, logger);
    process.stdout.write(greeting({ ...carPark, traffic }, options));
    await stopped;
    await sim.close();
    return DONE;
  } catch (error) {
    printError('parking-sim', error, options);
    return FAILED;
  }
}

function start(
  { carPark, traffic }: { carPark: CarPark; traffic: TrafficPlan | undefined },
  options: SimCommandLine,
  logger: Logger,
): Promise<Sim> {
  const { agents, radio: radioPath, hci, product, control, latencyMs } = options;
  const given = { agents, control, logger, traffic };
  if (hci === null || radioPath !== null)
    return createEmulatedSim({ ...given, carPark, latencyMs, ...(radioPath === null ? {} : { radioPath }) });
  const only = carPark.products.find(({ device_id }) => product === null || device_id === product);
  if (only === undefined) throw new Error(`the site file has no product ${product ?? ''}`);
  return createSim({ ...given, carPark: { ...carPark, products: [only] }, air: createAdapterAir(hci) });
}

async function readSite(file: string): Promise<Site> {
  const content = await readFile(file, 'utf8').catch((cause) => {
    throw new Error(`cannot read the site file ${file} (${errorText(cause)})`, { cause });
  });
  return readSiteFile(file, content).site;
}

/** Its day begins now, or at the time of today that was asked for. */
function planTraffic(lots: TrafficLot[], { speed, seed, from }: TrafficChoice): TrafficPlan {
  const now = systemClock.now();
  const timezone = lots[0]?.timezone ?? 'UTC';
  const from_ms = from === null ? now : localTime(timezone, { day: localDay(timezone, now), hour: from / 60 });
  return { lots, seed: seed ?? randomInt(SEED_MAX), speed, from_ms };
}

function greeting(
  { products, cameras, parkingGateways, traffic }: CarPark & { traffic: TrafficPlan | undefined },
  { site, agents, radio, hci, control }: SimCommandLine,
): string {
  const url = `http://${control.host.includes(':') ? `[${control.host}]` : control.host}:${control.port}`;
  const lines = [
    `Car park of ${basename(site)}, ready.`,
    radio === null
      ? `  radio     hci${hci}, with one product`
      : `  radio     ${radio}   (an agent joins with BLE_HCI=sim:${radio})`,
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
    ...(traffic === undefined
      ? []
      : [
          `  traffic   seed ${traffic.seed}, ${traffic.speed} times as fast   (PATCH ${url}/traffic {"speed": 0} stops it)`,
        ]),
  ];
  return `${lines.join('\n')}\n`;
}
