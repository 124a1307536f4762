#!/usr/bin/env node
/** The program `parking-cloud`. It puts the cloud together, and it alone imports the drivers. */
import { Command } from 'commander';
import { pino } from 'pino';
import { SettingsError } from '../shared/settings.js';
import { systemClock } from '../shared/system-clock.js';
import { VERSION } from '../shared/version.js';
import { createAedesBroker } from './broker/aedes-broker.js';
import { type Cloud, createCloud } from './cloud.js';
import { type CommandDeps, type CommandIo, runApply } from './cli/apply.js';
import { runBackup } from './cli/backup.js';
import { runCreateToken } from './cli/create-token.js';
import { runMigrate } from './cli/migrate.js';
import { runMove } from './cli/move.js';
import { type CloudConfig, loadCloudConfig, publicAddresses } from './config.js';
import { createGatewayAuthenticator } from './gateway/mqtt-password.js';
import { createIsProxy } from './http/client-address.js';
import { createFileImageStore } from './image/file-image-store.js';
import { readOpenFilesMax, socketBudget } from './limit/socket-budget.js';
import { createPasswords } from './secrets/passwords.js';
import { loadServerKey } from './secrets/server-key.js';
import { openTlsFiles, type TlsPlace } from './secrets/tls-files.js';
import { openCloudStore } from './store/open-cloud-store.js';
import type { MoveEndOptions } from './store/move-end.js';
import { openMoveEnd } from './store/open-move-end.js';
import { backUpSqlite } from './store/sqlite/sqlite-backup.js';
import { isTerminalKeyKnown } from './terminal/terminal-queries.js';
import { createHttpWebhookSender } from './webhook/http-webhook-sender.js';

const DONE = 0;
const FAILED = 1;
const WRONG_USE = 2;

const program = new Command('parking-cloud')
  .description('The service of the parking gateways: REST, realtime events, and the broker gateways speak to.')
  .option(
    '--config <file>',
    'settings from this .env or YAML file, not from the .env in the working directory; the environment goes before it',
  )
  .option('--data-dir <directory>', 'DATA_DIR')
  .option('--debug', 'show all of an error')
  .exitOverride((error) => {
    process.exit(error.exitCode === 0 ? DONE : WRONG_USE);
  });

function configOf(): CloudConfig {
  const flags = program.opts<{ config?: string }>();
  return loadCloudConfig({ flags, configFile: flags.config, workingDirectory: process.cwd() });
}

const loggerOf = (config: CloudConfig) => pino({ level: config.logLevel, base: null });

async function serve(): Promise<void> {
  const config = configOf();
  const logger = loggerOf(config);
  const sockets = socketBudget(readOpenFilesMax());
  const tlsFilesOf = (place: TlsPlace | null) =>
    place === null ? undefined : openTlsFiles(place, { clock: systemClock, logger });
  const tls = tlsFilesOf(config.tls);
  const mqttTls = tlsFilesOf(config.mqttTls);
  const serverKey = loadServerKey({ dataDir: config.dataDir, serverKey: config.serverKey });
  const store = await openCloudStore({ url: config.databaseUrl, clock: systemClock, logger });
  let cloud: Cloud;
  try {
    const migrations = await store.migrate();
    if (migrations.length > 0) logger.info({ migrations }, 'database brought up to date');
    const broker = await createAedesBroker({
      host: config.mqttHost,
      port: config.mqttPort,
      authenticate: createGatewayAuthenticator(store),
      isProxy: createIsProxy(config.trustedProxies),
      isTerminalRegistered: (key) => isTerminalKeyKnown(store.reader, key),
      clock: systemClock,
      logger,
      tls: mqttTls,
      limits: { connectionsMax: sockets.mqtt },
    });
    cloud = await createCloud(config, {
      store,
      broker,
      images: createFileImageStore({ directory: `${config.dataDir}/images` }),
      passwords: createPasswords({ pausingClock: systemClock }),
      webhookSender: createHttpWebhookSender({ allowPrivate: config.webhookAllowPrivate, clock: systemClock }),
      serverKey,
      clock: systemClock,
      logger,
      tls,
      mqttTls,
      sockets,
    }).catch(async (error: unknown) => {
      await broker.close();
      throw error;
    });
  } catch (error) {
    await store.close();
    throw error;
  }
  logger.info({ url: cloud.baseUrl, version: VERSION }, 'cloud is ready');
  const signal = await stopSignal();
  logger.info({ signal }, 'cloud is stopping');
  await cloud.close();
}

/** Resolves with the first signal that asks the program to stop; a second one ends it at once. */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(FAILED));
        resolve(signal);
      });
    }
  });
}

/** What the subcommands other than `serve` work with; their logger writes only warnings and errors. */
const io: CommandIo = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
};
/** Standard output belongs to the subcommand. */
const warningsOf = () => pino({ level: 'warn', base: null }, pino.destination(2));
const depsOf = (config: CloudConfig): CommandDeps => ({
  openStore: () => openCloudStore({ url: config.databaseUrl, clock: systemClock, logger: warningsOf() }),
  clock: systemClock,
});

program
  .command('apply')
  .description('bring the database to what a site file declares; works beside a running cloud')
  .argument('<file>', 'site file (YAML)')
  .option('--prune', "also remove what the file's accounts have beyond it", false)
  .option('--dry-run', 'print what would change, and change nothing', false)
  .action(async (file: string, options: { prune: boolean; dryRun: boolean }) => {
    const config = configOf();
    const { baseUrl } = publicAddresses(config, { http: config.port, mqtt: config.mqttPort });
    const deps = { ...depsOf(config), passwords: createPasswords() };
    process.exitCode = await runApply({ file, ...options, config: { ...config, baseUrl } }, deps, io);
  });

program
  .command('migrate')
  .description('bring the schema of the database up to date')
  .action(async () => {
    process.exitCode = await runMigrate(depsOf(configOf()), io);
  });

program
  .command('backup')
  .description('copy the SQLite database of a cloud that may be running into FILE, and its server keys into FILE.keys')
  .argument('<file>', 'a file that is not there yet')
  .action(async (file: string) => {
    process.exitCode = await runBackup({ file, config: configOf() }, { backUp: backUpSqlite }, io);
  });

program
  .command('move')
  .description(
    'copy the database of a cloud that is stopped into an empty one, of SQLite or PostgreSQL, and compare them',
  )
  .requiredOption('--from <url>', 'its address, as DATABASE_URL has it')
  .requiredOption('--to <url>', 'the address of the empty one')
  .action(async (options: { from: string; to: string }) => {
    const logger = warningsOf();
    const deps = { openEnd: (end: MoveEndOptions) => openMoveEnd({ ...end, logger }), clock: systemClock };
    process.exitCode = await runMove({ ...options, dataDir: configOf().dataDir }, deps, io);
  });

program
  .command('token')
  .description('API tokens')
  .command('create')
  .description('make an API token and print it, once')
  .requiredOption('--account <name>', 'whose token')
  .requiredOption('--name <name>', 'what it is for')
  .action(async (options: { account: string; name: string }) => {
    process.exitCode = await runCreateToken(options, depsOf(configOf()), io);
  });

program.command('serve').description('run the service').action(serve);

program
  .command('version')
  .description('print the version')
  .action(() => {
    process.stdout.write(`${VERSION}\n`);
  });

program.parseAsync().then(
  () => process.exit(process.exitCode ?? DONE),
  (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    const shown =
      program.opts<{ debug?: boolean }>().debug && error instanceof Error ? (error.stack ?? message) : message;
    process.stderr.write(`parking-cloud: ${shown}\n`);
    process.exit(error instanceof SettingsError ? WRONG_USE : FAILED);
  },
);
