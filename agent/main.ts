#!/usr/bin/env node
/** The program `parking-agent`. It puts the gateway together, and it alone imports the drivers. */
// This import comes first: it may replace the process, and then nothing else should have been loaded.
import { limitsFailure } from './process/limited-start.js';
import * as nodeCrypto from 'node:crypto';
import { Command } from 'commander';
import { pino } from 'pino';
import { createBoundedLog } from '../shared/bounded-log.js';
import type { ConfigMessage } from '../shared/gateway-config.js';
import { createProtocolCrypto } from '../shared/product-protocol/protocol-crypto.js';
import { SettingsError } from '../shared/settings.js';
import { systemClock } from '../shared/system-clock.js';
import { VERSION } from '../shared/version.js';
import { ClaimError, claimGateway } from './commissioning/claim.js';
import { type Identity, openIdentity } from './commissioning/identity.js';
import { joinCloud } from './commissioning/join.js';
import { type AgentConfig, loadAgentConfig } from './config.js';
import { askGateway } from './console/local-client.js';
import { startLocalServer } from './console/local-server.js';
import { releaseLot } from './console/release-command.js';
import { createDisplayDrivers } from './display/display-drivers.js';
import { createScreenPolls } from './display/screen-polls.js';
import { createGateway } from './gateway.js';
import { renderSensors, renderStatus } from './health/render-status.js';
import type { GatewayStatus } from './health/status.js';
import { createChildPictureMaker } from './lpr/pictures/child-picture-maker.js';
import { createCameraDrivers } from './lpr/camera-drivers.js';
import { createImages } from './lpr/pictures/images.js';
import { createQuarantine } from './lpr/push/quarantine.js';
import { createChildRadio } from './product/radio-process/child-radio.js';
import { createOffRadio } from './product/off-radio.js';
import { cyclePower } from './product/hci/cycle-power.js';
import { createJointRadio } from './product/joint-radio.js';
import { createRecoveryCounter, radioHealthOf } from './product/radio-health.js';
import { createSensorDrivers } from './sensor/sensor-drivers.js';
import { createSensorPushes } from './sensor/sensor-pushes.js';
import { openSqliteAgentStore } from './store/sqlite-agent-store.js';
import { createOtelTracer } from './trace/otel-tracer.js';
import { createMqttTransport } from './uplink/mqtt-transport.js';

const DONE = 0;
const FAILED = 1;
const WRONG_USE = 2;
const STATUS_WITHIN_MS = 5_000;
const DISPLAY_WITHIN_MS = 12_000;
const KEEP_RUNNING_MS = 3_600_000;
/** Realtime contract, "Delivery". */
const CAMERA_PROBE_INTERVAL_MS = 60_000;

const program = new Command('parking-agent')
  .description('The gateway at the car park: cameras in, products over Bluetooth, the cloud behind a queue.')
  .option(
    '--config <file>',
    'settings from this .env or YAML file, not from the .env in the working directory; the environment goes before it',
  )
  .option('--debug', 'show all of an error')
  .exitOverride((error) => {
    process.exit(error.exitCode === 0 ? DONE : WRONG_USE);
  });

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
    await work(config, logger, stop);
  } catch (error) {
    // A signal stopped the program while it was still joining its cloud.
    if (!stop.aborted || error !== stop.reason) throw error;
  } finally {
    clearInterval(keepRunning);
  }
}

async function work(config: AgentConfig, nameless: pino.Logger, stop: AbortSignal): Promise<void> {
  let identity = openIdentity(config.identityFile);
  let initialConfig: ConfigMessage[] = [];
  if (identity.cloud === null && config.claim !== null) {
    const joined = await joinCloud({
      identity,
      claim: config.claim,
      clock: systemClock,
      random: Math.random,
      logger: nameless,
      signal: stop,
    });
    ({ identity, config: initialConfig } = joined);
    nameless.info({ uuid: identity.uuid, cloud: config.claim.cloudUrl }, 'joined the cloud');
  }
  // The lines of many gateways are read in one place. A claim may have given it another uuid.
  const logger = nameless.child({ uuid: identity.uuid });
  if (identity.cloud === null) logger.warn({}, 'not claimed: set CLOUD_URL and CLAIM_CODE, or run parking-agent claim');

  const service = { name: 'parking-agent', version: VERSION };
  const tracer =
    config.otlpEndpoint === null
      ? undefined
      : await createOtelTracer({ endpoint: config.otlpEndpoint, service, clock: systemClock, logger });
  const store = await openSqliteAgentStore({ path: config.databaseFile, logger });
  const { radio, health } = createRadio(config, identity, logger);
  const sensorPushes = createSensorPushes();
  const screenPolls = createScreenPolls();
  const gateway = await createGateway({
    identity,
    initialConfig,
    store,
    radio,
    radioHealth: health,
    transport: createMqttTransport({ clock: systemClock }),
    cameraDrivers: createCameraDrivers({
      clock: systemClock,
      randomHex: (bytes) => nodeCrypto.randomBytes(bytes).toString('hex'),
    }),
    sensorDrivers: createSensorDrivers({
      clock: systemClock,
      random: Math.random,
      gatewayUuid: identity.uuid,
      pushes: sensorPushes,
    }),
    displayDrivers: createDisplayDrivers({ polls: screenPolls }),
    localRoutes: [sensorPushes.app, screenPolls.app],
    images: createImages({ maker: createChildPictureMaker({ clock: systemClock, logger }), logger }),
    quarantine: createQuarantine({ directory: config.quarantineDir, clock: systemClock, logger }),
    crypto: createProtocolCrypto(nodeCrypto),
    clock: systemClock,
    random: Math.random,
    randomBytes: (length) => new Uint8Array(nodeCrypto.randomBytes(length)),
    logger,
    version: VERSION,
    reportIntervalMs: config.reportIntervalMs,
    cameraProbeIntervalMs: CAMERA_PROBE_INTERVAL_MS,
    tracer,
  });
  const outsiders = createBoundedLog({ logger, clock: systemClock });
  try {
    const server = await startLocalServer({
      app: gateway.app,
      host: config.httpHost,
      port: config.httpPort,
      isKnown: gateway.isKnownAddress,
      onCrowd: (address) =>
        outsiders.from(address).warn({ address }, 'a local connection was closed to make room for others'),
      onError: (error) => logger.error({ err: error }, 'the local listener failed'),
    });
    logger.info({ port: server.port, version: VERSION }, 'gateway is at work');
    await aborted(stop);
    logger.info({}, 'gateway is stopping');
    await server.close();
  } finally {
    await gateway.close();
    await tracer?.close();
  }
}

/** The adapters as one radio, and how they are. */
function createRadio(config: AgentConfig, identity: Identity, logger: pino.Logger) {
  const recoveries = createRecoveryCounter(systemClock);
  const adapters = config.adapters.map((choice, index) => {
    const name = choice.kind === 'sim' ? `sim${index}` : `hci${choice.index ?? 0}`;
    const hci = choice.kind === 'sim' ? { ...choice, name: identity.uuid } : choice;
    const radio = createChildRadio({
      hci,
      logger: config.adapters.length > 1 ? logger.child({ adapter: name }) : logger,
      clock: systemClock,
      random: Math.random,
      onRecovery: (step, reason) => recoveries.note(name, step, reason),
      ...(choice.kind === 'adapter' ? { cyclePower: () => cyclePower(choice.index ?? 0) } : {}),
    });
    return { name, radio };
  });
  const [first, ...others] = adapters.map(({ radio }) => radio);
  const radio =
    first === undefined ? createOffRadio() : others.length === 0 ? first : createJointRadio([first, ...others]);
  return { radio, health: () => radioHealthOf(radio, adapters, recoveries) };
}

/** The first signal that asks the program to stop aborts this one; a second signal ends the program at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(FAILED));
      controller.abort(new Error(`stopped by ${signal}`));
    });
  }
  return controller.signal;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
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
  const answer = await askStatus();
  const rendered = renderSensors(answer, name);
  if (rendered === null)
    throw new Error(`there is no parking gateway or place ${name}; parking-agent sensors list shows them`);
  const { parking_gateways } = answer;
  process.stdout.write(`${json ? JSON.stringify(parking_gateways, null, 2) : rendered}\n`);
}

async function testDisplay(name: string, { text }: { text: string }): Promise<void> {
  const { fault } = await askGateway<{ fault: string | null }>(configOf(), {
    method: 'POST',
    path: '/display-test',
    body: { name, text },
    withinMs: DISPLAY_WITHIN_MS,
  });
  if (fault !== null) throw new Error(`${name}: ${fault}`);
  process.stdout.write(`${name} took the text "${text}"; it shows its own again soon.\n`);
}

async function release(first: string, second: string | undefined, options: { json?: boolean }): Promise<void> {
  const { text, products, isDone } = await releaseLot(configOf(), { first, second });
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
  .description('what the sensors of a parking gateway or place last said')
  .action((name: string) => showSensors(name, {}));
program
  .command('displays')
  .description('the displays of this gateway')
  .command('test <name>')
  .description('show a text for ten seconds')
  .option('--text <text>', 'the text', 'TEST 123')
  .action(testDisplay);
program
  .command('release')
  .description('in an emergency: open every product of this lot and hold it open; `release clear` ends it')
  .argument('<lot>', "the lot's name; or clear")
  .argument('[lot]', "after clear: the lot's name")
  .option('--json', 'for programs')
  .action(release);
program
  .command('version')
  .description('print the version')
  .action(() => void process.stdout.write(`${VERSION}\n`));

program.parseAsync().then(
  () => process.exit(process.exitCode ?? DONE),
  (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    const shown =
      program.opts<{ debug?: boolean }>().debug && error instanceof Error ? (error.stack ?? message) : message;
    process.stderr.write(`parking-agent: ${shown}\n`);
    process.exit(error instanceof SettingsError ? WRONG_USE : FAILED);
  },
);
