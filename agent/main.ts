#!/usr/bin/env node
/** The program `parking-agent`. What its command line can do; `gateway-process.ts` puts the gateway together. */
// This import comes first: it may replace the process, and then nothing else should have been loaded.
import { limitsFailure } from './process/limited-start.js';
import * as nodeCrypto from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { pino } from 'pino';
import { aborted, createProgram, FAILED, runProgram, stopSignal } from '../shared/node/program.js';
import { withFields } from '../shared/logger.js';
import { SettingsError } from '../shared/settings.js';
import { VERSION } from '../shared/version.js';
import { ClaimError, claimGateway } from './commissioning/claim.js';
import { openIdentity } from './commissioning/identity.js';
import { type AgentConfig, loadAgentConfig } from './config.js';
import { TEST_SECONDS_MAX } from './console/local-routes.js';
import { testDisplay } from './console/display-command.js';
import { askGateway } from './console/local-client.js';
import { releaseLot } from './console/release-command.js';
import { askSensors } from './console/sensors-command.js';
import { updateFrom } from './console/update-command.js';
import { startGateway } from './gateway-process.js';
import { renderCameraSetup, renderClock, renderProbed, renderTestedRead } from './health/render-cameras.js';
import { renderCameras, renderStatus, renderTable } from './health/render-status.js';
import type { GatewayStatus } from './health/status.js';
import { discoverCameras } from './lpr/discovery/discover-cameras.js';
import { mapLastQuarantined, renderMapped } from './lpr/map/map-quarantined.js';
import type { ClockReport } from './lpr/presence/camera-clocks.js';
import type { CameraProbed, TestedRead } from './lpr/setup/camera-tests.js';
import type { SetupReport } from './lpr/setup/camera-setups.js';

const STATUS_WITHIN_MS = 5_000;
const DISCOVER_SECONDS_MAX = 60;
const SETUP_WITHIN_MS = 40_000;
/** Beyond what the gateway itself needs for the answer. */
const TEST_GRACE_MS = 15_000;
const KEEP_RUNNING_MS = 3_600_000;

const program = createProgram(
  'parking-agent',
  'The gateway at the car park: cameras in, products over Bluetooth, the cloud behind a queue.',
);

function configOf(flags: Record<string, unknown> = {}): AgentConfig {
  const { config } = program.opts<{ config?: string }>();
  return loadAgentConfig({ flags, configFile: config, workingDirectory: process.cwd() });
}

async function run(): Promise<void> {
  const config = configOf();
  const logger = pino({ level: config.logLevel, base: null });
  if (limitsFailure !== null) logger.warn({ err: limitsFailure }, 'memory is limited in part only');
  const stop = stopSignal();
  // The clock's timers do not keep the program running while it waits to ask its cloud again.
  const keepRunning = setInterval(() => {}, KEEP_RUNNING_MS);
  try {
    const gateway = await startGateway(config, { logger, signal: stop });
    const own = withFields(logger, { uuid: gateway.uuid });
    own.info({ port: gateway.port, version: VERSION }, 'gateway is at work');
    await aborted(stop);
    own.info({}, 'gateway is stopping');
    await gateway.close();
  } catch (error) {
    // A signal stopped the program while it was still joining its cloud.
    if (!stop.aborted || error !== stop.reason) throw error;
  } finally {
    clearInterval(keepRunning);
  }
}

async function claim(options: { cloud: string; code: string }): Promise<void> {
  // The options are the settings of the same meaning, so that a wrong one is refused in the same words.
  const config = configOf({ cloudUrl: options.cloud, claimCode: options.code });
  if (config.claim === null) throw new SettingsError(['--cloud and --code: each needs a value']);
  const { cloudUrl, code } = config.claim;
  const identity = openIdentity(config.identityFile);
  if (identity.cloud !== null)
    throw new ClaimError('refused', `this gateway (${identity.uuid}) is already claimed at ${identity.cloud.url}`);
  const joined = await claimGateway({ identity, cloudUrl, code });
  process.stdout.write(`This gateway is ${joined.identity.uuid} at ${cloudUrl}.\n`);
}

const askStatus = () =>
  askGateway<GatewayStatus>(configOf(), { method: 'GET', path: '/status', withinMs: STATUS_WITHIN_MS });

async function status(options: { json?: boolean }): Promise<void> {
  const answer = await askStatus();
  process.stdout.write(`${options.json ? JSON.stringify(answer, null, 2) : renderStatus(answer)}\n`);
}

async function showSensors(name: string | null, { json }: { json?: boolean }): Promise<void> {
  const { text, sensors: named, problem } = await askSensors(configOf(), name);
  process.stdout.write(`${json ? JSON.stringify(named, null, 2) : text}\n`);
  // Whoever tests a sensor in a script asks whether it speaks.
  if (problem !== null) throw new Error(problem);
}

async function listCameras({ json }: { json?: boolean }): Promise<void> {
  const answer = await askStatus();
  process.stdout.write(`${json ? JSON.stringify(answer.cameras, null, 2) : renderCameras(answer).join('\n')}\n`);
}

async function findCameras(options: { seconds: string; json?: boolean }): Promise<void> {
  const seconds = Number(options.seconds);
  if (!(seconds > 0 && seconds <= DISCOVER_SECONDS_MAX))
    throw new SettingsError([`--seconds: ${options.seconds}; allowed: more than 0, at most ${DISCOVER_SECONDS_MAX}`]);
  const found = await discoverCameras({ forMs: seconds * 1_000, newUuid: nodeCrypto.randomUUID });
  const rows = found.map(({ address, vendor, model, serial, by, notes }) => [
    address,
    vendor,
    model,
    serial,
    by,
    notes,
  ]);
  const shown = renderTable(['address', 'vendor', 'model', 'serial number', 'found by', 'note'], rows);
  process.stdout.write(`${options.json ? JSON.stringify(found, null, 2) : shown.join('\n')}\n`);
}

async function setUpCamera(
  name: string,
  { yes, undo, ntp }: { yes?: boolean; undo?: boolean; ntp?: string },
): Promise<void> {
  const answer = await askGateway<{ fault: string } | ({ fault: null } & SetupReport)>(configOf(), {
    method: 'POST',
    path: '/camera-setup',
    body: { name, mode: undo === true ? 'undo' : yes === true ? 'apply' : 'plan', time_server: ntp },
    withinMs: SETUP_WITHIN_MS,
  });
  if (answer.fault !== null) throw new Error(`${name}: ${answer.fault}`);
  process.stdout.write(`${renderCameraSetup(name, answer).join('\n')}\n`);
}

async function testCamera(name: string, options: { seconds: string; picture?: string; json?: boolean }): Promise<void> {
  const seconds = Number(options.seconds);
  if (!(seconds > 0 && seconds <= TEST_SECONDS_MAX))
    throw new SettingsError([`--seconds: ${options.seconds}; allowed: more than 0, at most ${TEST_SECONDS_MAX}`]);
  const ask = async <Answer extends object>(step: object, withinMs: number): Promise<Answer> => {
    const answer = await askGateway<{ fault: string } | ({ fault: null } & Answer)>(configOf(), {
      method: 'POST',
      path: '/camera-test',
      body: { name, ...step },
      withinMs: withinMs + TEST_GRACE_MS,
    });
    if (answer.fault !== null) throw new Error(`${name}: ${answer.fault}`);
    return answer;
  };
  const probed = await ask<CameraProbed>({ step: 'probe' }, 0);
  // What is not the result goes beside it, so that `--json` remains JSON.
  process.stderr.write(`${renderProbed(probed)}\nwaiting up to ${seconds} s for a vehicle\n`);
  const read = await ask<TestedRead>({ step: 'read', seconds }, seconds * 1_000);
  const { full } = read.pictures;
  if (options.picture !== undefined) {
    if (full === null) throw new Error(`${name}: the read came without a picture`);
    await writeFile(options.picture, Buffer.from(full.base64, 'base64'));
  }
  const json = JSON.stringify(
    { probe: probed, read },
    (key, value: unknown) => (key === 'base64' ? undefined : value),
    2,
  );
  process.stdout.write(`${options.json === true ? json : renderTestedRead(read)}\n`);
}

async function measureClock(name: string, { wasLive, json }: { wasLive?: boolean; json?: boolean }): Promise<void> {
  const answer = await askGateway<{ fault: string } | ({ fault: null } & ClockReport)>(configOf(), {
    method: 'POST',
    path: '/camera-clock',
    body: { name, was_live: wasLive === true },
    withinMs: STATUS_WITHIN_MS,
  });
  if (answer.fault !== null) throw new Error(`${name}: ${answer.fault}`);
  const { fault: _none, ...report } = answer;
  process.stdout.write(`${json === true ? JSON.stringify(report, null, 2) : renderClock(name, report)}\n`);
}

async function mapCamera(name: string, options: { timezone?: string; json?: boolean }): Promise<void> {
  const of = { deviceId: name, timezone: options.timezone };
  const mapped = await mapLastQuarantined(configOf().quarantineDir, of);
  const { mapping } = mapped;
  process.stdout.write(`${options.json ? JSON.stringify({ mapping }, null, 2) : renderMapped(mapped)}\n`);
}

async function showText(name: string, { text }: { text: string }): Promise<void> {
  process.stdout.write(`${await testDisplay(configOf(), { name, text })}\n`);
}

async function update(file: string | undefined, options: { yes?: boolean; json?: boolean }): Promise<void> {
  const { text, result } = await updateFrom(configOf(), file, {
    isSure: options.yes === true,
    onChecked: (checked) => void process.stderr.write(`${checked}\n`),
    ask: askPerson,
  });
  process.stdout.write(`${options.json ? JSON.stringify(result, null, 2) : text}\n`);
}

/** null: nobody is there to ask. */
async function askPerson(question: string): Promise<boolean | null> {
  if (!process.stdin.isTTY) return null;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

async function release(words: string[], options: { json?: boolean }): Promise<void> {
  const onBegin = (begun: string) => void process.stderr.write(`${begun}\n`);
  const { text, products, isDone } = await releaseLot(configOf(), words, onBegin);
  process.stdout.write(`${options.json ? JSON.stringify(products, null, 2) : text}\n`);
  if (!isDone) process.exitCode = FAILED;
}

program.command('run').description('run the gateway').action(run);
program
  .command('claim')
  .description('enrol this device')
  .requiredOption('--cloud <url>', 'address of the cloud')
  .requiredOption('--code <code>', 'one-time claim code')
  .action(claim);
program
  .command('status')
  .description('what the running gateway is doing')
  .option('--json', 'for programs')
  .action(status);
const sensors = program.command('sensors').description('the sensors of parking places');
sensors
  .command('list')
  .description('what every sensor last said, and when')
  .option('--json', 'for programs')
  .action((options: { json?: boolean }) => showSensors(null, options));
sensors
  .command('test <name>')
  .description('what the sensors of a parking gateway or place last said; fails when one does not answer')
  .option('--json', 'for programs')
  .action((name: string, options: { json?: boolean }) => showSensors(name, options));
const cameras = program.command('cameras').description('the cameras of this gateway, and those of the network');
cameras
  .command('list')
  .description('every camera, whether it is there, and what is wrong with it')
  .option('--json', 'for programs')
  .action(listCameras);
cameras
  .command('discover')
  .description('which cameras answer on this network; it changes nothing')
  .option('--seconds <seconds>', 'how long it listens', '4')
  .option('--json', 'for programs')
  .action(findCameras);
cameras
  .command('setup <name>')
  .description(
    'point the push of a camera at this gateway, and set what it needs; says what it would do, and does it with --yes',
  )
  .option('--yes', 'change it')
  .option('--ntp <host>', 'the time server that its clock shall follow')
  .option('--undo', 'write back what was there before')
  .action(setUpCamera);
cameras
  .command('test <name>')
  .description('ask a camera whether it is there, and show its next read: picture, decision and why')
  .option('--seconds <seconds>', 'how long it waits for a vehicle', '60')
  .option('--picture <file>', "write the read's JPEG to this file")
  .option('--json', 'for programs')
  .action(testCamera);
cameras
  .command('clock <name>')
  .description(
    'forget how wrong the clock of a camera is taken to be, and find it out again: from the camera, or from its next reads',
  )
  .option('--was-live', 'its last read, which counted as late, was of now: it is the clock that is behind')
  .option('--json', 'for programs')
  .action(measureClock);
cameras
  .command('map <name>')
  .description('propose a mapping from the last push of a camera that could not be read')
  .option('--timezone <zone>', "IANA zone of times that carry none (the camera's own)")
  .option('--json', 'for programs')
  .action(mapCamera);
program
  .command('displays')
  .description('the displays of this gateway')
  .command('test <name>')
  .description('show a text for ten seconds; fails when the display does not take it')
  .option('--text <text>', 'the text', 'TEST 123')
  .action(showText);
program
  .command('release')
  .description('in an emergency: open every product of this lot and hold it open; `release clear` ends it')
  .argument('<lot...>', "the lot's name; or clear, and the lot's name if you like")
  .option('--json', 'for programs')
  .action(release);
program
  .command('update')
  .description('install a release from a file or, without one, from a stick; says what it would do, and asks')
  .argument('[file]', 'a bundle (.raucb)')
  .option('--yes', 'do not ask')
  .option('--json', 'for programs')
  .action(update);

runProgram(program);
