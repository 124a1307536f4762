#!/usr/bin/env node
/** The program `parking-agent`: its command line. `gateway-lives.ts` runs the gateway. */
// This import comes first: it may replace the process, and then nothing else should have been loaded.
import { limitsFailure } from './process/limited-start.js';
import * as nodeCrypto from 'node:crypto';
import { pino } from 'pino';
import {
  aborted,
  createProgram,
  examples,
  FAILED,
  noteLines,
  printLines,
  runProgram,
  stopSignal,
} from '../shared/node/program.js';
import { printableJson } from '../shared/node/printable.js';
import { silentLogger, withFields } from '../shared/logger.js';
import { terminalWidth } from '../shared/node/text-table.js';
import { SettingsError } from '../shared/settings.js';
import { systemClock } from '../shared/system-clock.js';
import { VERSION } from '../shared/version.js';
import { setUpDevice } from './commissioning/device-setup.js';
import { type AgentConfig, loadAgentConfig } from './config.js';
import { type DoctorOptions, runDoctor } from './console/doctor-command.js';
import { askWhether } from './console/ask-person.js';
import { findCameras, mapCamera, measureClock, setUpCamera, testCamera } from './camera-commands.js';
import { claimDevice, deviceCodeOf, resetDevice } from './console/claim-command.js';
import { testDisplay } from './console/display-command.js';
import { askGateway } from './console/local-client.js';
import { releaseLot } from './console/release-command.js';
import { type LogsOptions, showLogs } from './console/logs-command.js';
import { askSensors } from './console/sensors-command.js';
import { show, type ShowOptions, type Shown } from './console/watch-command.js';
import { updateFrom } from './console/update-command.js';
import { holdDevice, holdPlace } from './device-hold.js';
import { startGateway } from './gateway-lives.js';
import { createLogRing, LOG_LEVELS } from './health/log-ring.js';
import { LISTED_MAX, type QueueView } from './health/queue.js';
import { renderQueue } from './health/render-queue.js';
import { renderCameras, renderProducts, renderSensors, renderStatus, sensorsNamed } from './health/render-status.js';
import type { GatewayStatus, StatusHere } from './health/status.js';
import { standardOutput } from './standard-output.js';
import { openSqliteAgentStore } from './store/sqlite-agent-store.js';

const STATUS_WITHIN_MS = 5_000;
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
  const stdout = pino.destination(1);
  const logs = createLogRing({ id: nodeCrypto.randomUUID() });
  const logger = pino(
    { level: config.logLevel, base: null },
    {
      write(line) {
        stdout.write(line);
        logs.write(line);
      },
    },
  );
  if (limitsFailure !== null) logger.warn({ err: limitsFailure }, 'memory is limited in part only');
  const stop = stopSignal();
  // The clock's timers do not keep the program running while it waits to ask its cloud again.
  const keepRunning = setInterval(() => {}, KEEP_RUNNING_MS);
  const device = await holdDevice(config, { logger, signal: stop });
  let failed = true;
  try {
    const gateway = await device.start((claiming) => startGateway(claiming, { logger, logs, overrides: {} }));
    const own = withFields(logger, { uuid: gateway.uuid });
    own.info({ port: gateway.port, version: VERSION }, 'gateway is at work');
    try {
      await Promise.race([aborted(stop), gateway.failed]);
      own.info({}, 'gateway is stopping');
      device.stopping();
    } finally {
      await gateway.close();
    }
    failed = false;
  } finally {
    clearInterval(keepRunning);
    device.close(failed);
  }
}

const devicePlace = (config: AgentConfig) => ({
  ...config,
  openStore: (path: string) => openSqliteAgentStore({ path, logger: silentLogger }),
  hold: (onWait: () => void) => holdPlace(config, onWait),
});

async function claim(options: { cloud?: string; code: string; again?: boolean; yes?: boolean }): Promise<void> {
  // The options are the settings of the same meaning, so that a wrong one is refused in the same words.
  const config = configOf({ cloudUrl: options.cloud, claimCode: options.code });
  if (config.claim === null) throw new SettingsError(['--cloud and --code: each needs a value']);
  const asked = { again: options.again === true, yes: options.yes === true, ...config.claim };
  printLines(await claimDevice(devicePlace(config), asked));
}

async function reset({ yes = false, confirm }: { yes?: boolean; confirm?: string }): Promise<void> {
  printLines(await resetDevice(devicePlace(configOf()), { yes, ...(confirm === undefined ? {} : { confirm }) }));
}

function setUp(file: string, { handTo, user, root }: { handTo?: string; user: string; root: string }): void {
  setUpDevice({ path: file, handTo: handTo ?? null, user, root, dataDir: configOf().dataDir, say: printLines });
}

const askStatus = () =>
  askGateway<GatewayStatus>(configOf(), { method: 'GET', path: '/status', withinMs: STATUS_WITHIN_MS });

/** The status, with what the gateway says to nobody over a connection. */
async function askStatusHere(): Promise<StatusHere> {
  const status = await askStatus();
  return { ...status, ...deviceCodeOf(configOf(), status) };
}

const output = standardOutput(program.name());

/** Runs what may go on until a signal. */
async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const keepRunning = setInterval(() => {}, KEEP_RUNNING_MS);
  await work(stopSignal()).finally(() => clearInterval(keepRunning));
}

const showAnswer = <Answer>(shown: Shown<Answer>, options: ShowOptions) =>
  untilStopped((signal) => show(shown, options, { output, clock: systemClock, signal }));

/** Prints the part of the gateway's status that a command shows. */
const showStatus = (part: Omit<Shown<GatewayStatus>, 'ask'>) => (options: ShowOptions) =>
  showAnswer({ ask: askStatus, ...part }, options);

async function showQueue({
  list,
  plates,
  ...options
}: ShowOptions & { list?: string; plates?: boolean }): Promise<void> {
  const listed = Number(list ?? 0);
  if (!(Number.isInteger(listed) && listed >= 0 && listed <= LISTED_MAX))
    throw new SettingsError([`--list: ${list}; allowed: a whole number, at most ${LISTED_MAX}`]);
  const path = `/queue?list=${listed}&plates=${plates === true}`;
  const ask = () => askGateway<QueueView>(configOf(), { method: 'GET', path, withinMs: STATUS_WITHIN_MS });
  await showAnswer({ ask, json: (answer) => answer, lines: renderQueue }, options);
}

async function testSensors(name: string, { json }: { json?: boolean }): Promise<void> {
  const { text, sensors: named, problem } = await askSensors(configOf(), name, terminalWidth());
  printLines(json ? printableJson(named, 2) : text);
  // Whoever tests a sensor in a script asks whether it speaks.
  if (problem !== null) throw new Error(problem);
}

async function showText(name: string, { text }: { text: string }): Promise<void> {
  printLines(await testDisplay(configOf(), { name, text }));
}

async function doctor(options: DoctorOptions): Promise<void> {
  const { text, isWell } = await runDoctor(configOf(), options);
  // It may be coloured, and has made printable what others wrote.
  output.write(`${text}\n`);
  if (!isWell) process.exitCode = FAILED;
}

async function update(file: string | undefined, options: { yes?: boolean; json?: boolean }): Promise<void> {
  const { text, result } = await updateFrom(configOf(), file, {
    isSure: options.yes === true,
    onChecked: noteLines,
    ask: async (question) => (process.stdin.isTTY ? askWhether(question, '--yes') : null),
  });
  printLines(options.json ? printableJson(result, 2) : text);
}

async function release(words: string[], options: { json?: boolean }): Promise<void> {
  const { text, products, isDone } = await releaseLot(configOf(), words, noteLines);
  printLines(options.json ? printableJson(products, 2) : text);
  if (!isDone) process.exitCode = FAILED;
}

const JSON_OPTION = ['--json', 'for programs'] as const;
const WATCH_OPTION = ['--watch', 'show each change until Ctrl-C'] as const;

program
  .command('run')
  .description('run the gateway')
  .addHelpText('after', examples('parking-agent run', 'AGENT_HTTP_HOST=0.0.0.0 parking-agent run'))
  .action(run);
program
  .command('claim')
  .description('enrol this device')
  .option('--cloud <url>', 'address of the cloud; the link of a QR code has it')
  .requiredOption('--code <code>', 'one-time claim code, or the link of its QR code')
  .option('--again', 'a claimed gateway anew, as the same gateway of the same cloud: it keeps its queue')
  .option('--yes', 'with --again: do not ask')
  .addHelpText('after', examples('parking-agent claim --cloud https://cloud.example --code HARBOUR-NORTH-0001'))
  .action(claim);
program
  .command('reset')
  .description('erase everything that this gateway keeps, so that it is as from the factory; asks twice')
  .option('--yes', 'do not ask whether')
  .option('--confirm <name>', "the gateway's name, instead of typing it when asked")
  .addHelpText('after', examples('parking-agent reset', 'parking-agent reset --yes --confirm "Entrance Pi"'))
  .action(reset);
program
  .command('claim-file <file>')
  .description(
    'as root, before the network starts: give this device the network and the SSH key of its claim file; once the cloud has answered, erase it',
  )
  .option('--hand-to <file>', 'where the gateway finds what concerns it')
  .option('--user <name>', "the gateway's account", 'parking-agent')
  .option('--root <folder>', 'instead of this device, a folder with its files', '/')
  .addHelpText(
    'after',
    examples('parking-agent claim-file /boot/firmware/claim.json --hand-to /run/parking-claim-file/claim.json'),
  )
  .action(setUp);
program
  .command('status')
  .description('what the running gateway is doing')
  .option(...JSON_OPTION)
  .option(...WATCH_OPTION)
  .addHelpText('after', examples('parking-agent status', 'parking-agent status --json | jq .cloud.connected'))
  .action((options: ShowOptions) =>
    showAnswer(
      { ask: askStatusHere, json: (answer) => answer, lines: (answer, width) => [renderStatus(answer, width)] },
      options,
    ),
  );
program
  .command('products')
  .description('every product: whether vehicles can pass, whether it is heard, and what is wrong with it')
  .option(...JSON_OPTION)
  .option(...WATCH_OPTION)
  .addHelpText('after', examples('parking-agent products', 'parking-agent products --watch'))
  .action(showStatus({ json: ({ products }) => products, lines: renderProducts }));
program
  .command('queue')
  .description('what waits for the cloud, since when, and whether something was lost')
  .option('--list <number>', 'show that many records of each lane, the oldest ones')
  .option('--plates', 'show the plates of the records that are listed')
  .option(...JSON_OPTION)
  .option(...WATCH_OPTION)
  .addHelpText(
    'after',
    examples('parking-agent queue', 'parking-agent queue --watch', 'parking-agent queue --list 20 --plates'),
  )
  .action(showQueue);
program
  .command('logs')
  .description('the newest lines that the running gateway has logged')
  .option('--level <level>', `those of this importance and more: ${LOG_LEVELS.join(', ')}`)
  .option('--lines <number>', 'how many', '100')
  .option('--since <time>', 'those of the last 30s, 10m, 2h, 1d, or since a time like 2026-01-31T06:00:00Z')
  .option('-f, --follow', 'show those that come, too, until Ctrl-C')
  .option('--watch', 'the same as --follow')
  .option('--json', 'for programs; with --follow one line each')
  .addHelpText('after', examples('parking-agent logs --level warn', 'parking-agent logs --since 10m --follow'))
  .action(({ watch, ...wanted }: LogsOptions & { watch?: boolean }) => {
    const follow = wanted.follow === true || watch === true;
    return untilStopped((signal) =>
      showLogs(configOf(), { ...wanted, follow }, { output, clock: systemClock, signal }),
    );
  });
program
  .command('doctor')
  .description(
    'look at everything that this gateway needs, and say what is wrong and what to do; fails when something has failed',
  )
  .option('--plate <plate>', 'also say what would become of this plate; nothing moves, nothing is kept')
  .option('--camera <name>', 'at this camera only')
  .option('--cycle <name>', 'also open and close this product; asks first')
  .option('--yes', 'do not ask')
  .option(...JSON_OPTION)
  .addHelpText('after', examples('parking-agent doctor', 'parking-agent doctor --plate ZG1234AB --camera cam-in-1'))
  .action(doctor);
const sensors = program.command('sensors').description('the sensors of parking places');
sensors
  .command('list')
  .description('what every sensor last said, and when')
  .option(...JSON_OPTION)
  .option(...WATCH_OPTION)
  .addHelpText('after', examples('parking-agent sensors list', 'parking-agent sensors list --watch'))
  .action(
    showStatus({
      json: (answer) => sensorsNamed(answer, null),
      lines: (answer, width) => [renderSensors(answer, null, width) ?? ''],
    }),
  );
sensors
  .command('test <name>')
  .description('what the sensors of a parking gateway or place last said; fails when one does not answer')
  .option(...JSON_OPTION)
  .addHelpText('after', examples('parking-agent sensors test Guidance', 'parking-agent sensors test A1'))
  .action(testSensors);
const cameras = program.command('cameras').description('the cameras of this gateway, and those of the network');
cameras
  .command('list')
  .description('every camera, whether it is there, and what is wrong with it')
  .option(...JSON_OPTION)
  .option(...WATCH_OPTION)
  .addHelpText('after', examples('parking-agent cameras list', 'parking-agent cameras list --watch'))
  .action(showStatus({ json: (answer) => answer.cameras, lines: renderCameras }));
cameras
  .command('discover')
  .description('which cameras answer on this network; it changes nothing')
  .option('--seconds <seconds>', 'how long it listens', '4')
  .option(...JSON_OPTION)
  .addHelpText('after', examples('parking-agent cameras discover', 'parking-agent cameras discover --seconds 10'))
  .action(async (options: Parameters<typeof findCameras>[0]) => printLines(await findCameras(options)));
cameras
  .command('setup <name>')
  .description(
    'point the push of a camera at this gateway, and set what it needs; says what it would do, and does it with --yes',
  )
  .option('--yes', 'change it')
  .option('--ntp <host>', 'the time server that its clock shall follow')
  .option('--undo', 'write back what was there before')
  .option(...JSON_OPTION)
  .addHelpText('after', examples('parking-agent cameras setup cam-in-1', 'parking-agent cameras setup cam-in-1 --yes'))
  .action(async (name: string, options: Parameters<typeof setUpCamera>[2]) =>
    printLines(await setUpCamera(configOf(), name, options)),
  );
cameras
  .command('test <name>')
  .description('ask a camera whether it is there, and show its next read: picture, decision and why')
  .option('--seconds <seconds>', 'how long it waits for a vehicle', '60')
  .option('--picture <file>', "write the read's JPEG to this file")
  .option(...JSON_OPTION)
  .addHelpText('after', examples('parking-agent cameras test cam-in-1 --picture read.jpg'))
  .action(async (name: string, options: Parameters<typeof testCamera>[2]) =>
    printLines(await testCamera(configOf(), name, options)),
  );
cameras
  .command('clock <name>')
  .description(
    'forget how wrong the clock of a camera is taken to be, and find it out again: from the camera, or from its next reads',
  )
  .option('--was-live', 'its last read, which counted as late, was of now: it is the clock that is behind')
  .option(...JSON_OPTION)
  .addHelpText('after', examples('parking-agent cameras clock cam-in-1'))
  .action(async (name: string, options: Parameters<typeof measureClock>[2]) =>
    printLines(await measureClock(configOf(), name, options)),
  );
cameras
  .command('map <name>')
  .description('propose a mapping from the last push of a camera that could not be read')
  .option('--timezone <zone>', "IANA zone of times that carry none (the camera's own)")
  .option(...JSON_OPTION)
  .addHelpText('after', examples('parking-agent cameras map cam-in-1 --timezone Europe/Zagreb'))
  .action(async (name: string, options: Parameters<typeof mapCamera>[2]) =>
    printLines(await mapCamera(configOf(), name, options)),
  );
program
  .command('displays')
  .description('the displays of this gateway')
  .command('test <name>')
  .description('show a text for ten seconds; fails when the display does not take it')
  .option('--text <text>', 'the text', 'TEST 123')
  .addHelpText('after', examples('parking-agent displays test "Entrance sign"'))
  .action(showText);
program
  .command('release')
  .description('in an emergency: open every product of this lot and hold it open; `release clear` ends it')
  .argument('<lot...>', "the lot's name; or clear, and the lot's name")
  .option(...JSON_OPTION)
  .addHelpText('after', examples('parking-agent release North', 'parking-agent release clear North'))
  .action(release);
program
  .command('update')
  .description('install a release from a file or, without one, from a stick; says what it would do, and asks')
  .argument('[file]', 'a bundle (.raucb)')
  .option('--yes', 'do not ask')
  .option(...JSON_OPTION)
  .addHelpText('after', examples('parking-agent update', 'parking-agent update /media/stick/release.raucb'))
  .action(update);

runProgram(program);
