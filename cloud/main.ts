#!/usr/bin/env node
/** The program `parking-cloud`. What its command line can do; `cloud-process.ts` puts the cloud together. */
import { join } from 'node:path';
import { pino } from 'pino';
import { errorText } from '../shared/error-text.js';
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
import { systemClock } from '../shared/system-clock.js';
import { VERSION } from '../shared/version.js';
import { createNatsKeys } from './equipment/broker/nats-keys.js';
import { natsConfigs } from './equipment/broker/nats-server-config.js';
import { createReleaseFiles } from './equipment/release/release-files.js';
import { MIGRATIONS } from './all-migrations.js';
import { startCloud } from './cloud-process.js';
import { type CommandDeps, type CommandIo, runApply } from './doors/cli/apply.js';
import { type AuditVerifyOptions, runAuditVerify } from './doors/cli/audit.js';
import { runBackup } from './doors/cli/backup.js';
import { runNatsConfig } from './doors/cli/broker-config.js';
import { runCaInit, runCaIssue } from './doors/cli/ca.js';
import { runCreateToken } from './doors/cli/create-token.js';
import { type MailChoice, type MailListOptions, runMailDrop, runMailList, runMailRetry } from './doors/cli/mail.js';
import { runMigrate } from './doors/cli/migrate.js';
import { runMove } from './doors/cli/move.js';
import {
  runReleaseList,
  runReleasePause,
  runReleasePublish,
  runReleaseRemove,
  runReleaseRollOut,
  runReleaseStatus,
} from './doors/cli/releases.js';
import { type ReplayOptions, runReplay } from './doors/cli/replay.js';
import { type CloudConfig, loadCloudConfig, publicAddresses } from './config.js';
import { createPasswords } from './kernel/secrets/passwords.js';
import { createSecrets } from './kernel/secrets/secrets.js';
import { loadServerKey } from './kernel/secrets/server-key.js';
import type { CloudStore } from './kernel/store/cloud-store.js';
import { leapIfRestored } from './kernel/store/leap-if-restored.js';
import { openCloudStore } from './kernel/store/open-cloud-store.js';
import { accountIds } from './site/account/account-queries.js';
import type { MoveEndOptions } from './kernel/store/move-end.js';
import { openMoveEnd } from './kernel/store/open-move-end.js';
import { backUpSqlite } from './kernel/store/sqlite/sqlite-backup.js';

const program = createProgram(
  'parking-cloud',
  'The service of the parking gateways: REST, realtime events, and the broker gateways speak to.',
).option('--data-dir <directory>', 'DATA_DIR');

function configOf(): CloudConfig {
  const flags = program.opts<{ config?: string }>();
  return loadCloudConfig({ flags, configFile: flags.config, workingDirectory: process.cwd() });
}

async function serve(): Promise<void> {
  const config = configOf();
  const logger = pino({ level: config.logLevel, base: null });
  const cloud = await startCloud(config, { logger });
  logger.info({ url: cloud.baseUrl, version: VERSION }, 'cloud is ready');
  const stop = stopSignal();
  await Promise.race([aborted(stop), cloud.expelled]);
  if (!stop.aborted) {
    logger.error(
      {},
      'other processes took this one for dead, and do what it did: it ends, and has to be started again',
    );
    process.exit(FAILED);
  }
  logger.info({ reason: errorText(stop.reason) }, 'cloud is stopping');
  await cloud.close();
}

/** What the subcommands other than `serve` work with; their logger writes only warnings and errors. */
const io: CommandIo = {
  out: printLines,
  err: (line) => noteLines(`${program.name()}: ${line}`),
  note: noteLines,
};
/** Standard output belongs to the subcommand. */
const warningsOf = () => pino({ level: 'warn', base: null }, pino.destination(2));
const secretsOf = (config: CloudConfig) =>
  createSecrets(loadServerKey({ dataDir: config.dataDir, serverKey: config.serverKey }));
const depsOf = (config: CloudConfig): CommandDeps => {
  // Only what writes audit entries needs the key, and a tool may have none.
  const derive: CommandDeps['derive'] = (...purpose) => secretsOf(config).derive(...purpose);
  return { openStore: () => openMigrated(config, derive), derive, clock: systemClock };
};

async function openMigrated(config: CloudConfig, derive: CommandDeps['derive']): Promise<CloudStore> {
  const store = await openCloudStore({ url: config.databaseUrl, clock: systemClock, logger: warningsOf(), derive });
  try {
    await store.migrate(MIGRATIONS);
    await leapIfRestored({ store, clock: systemClock, random: Math.random, accountIds });
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

program
  .command('apply')
  .description('bring the database to what a site file declares; works beside a running cloud')
  .argument('<file>', 'site file (YAML)')
  .option('--prune', "also remove what the file's accounts have beyond it", false)
  .option('--dry-run', 'print what would change, and change nothing', false)
  .addHelpText('after', examples('parking-cloud apply site.yaml --dry-run', 'parking-cloud apply site.yaml --prune'))
  .action(async (file: string, options: { prune: boolean; dryRun: boolean }) => {
    const config = configOf();
    const { baseUrl } = publicAddresses(config, { http: config.port, mqtt: config.mqttPort });
    const deps = { ...depsOf(config), passwords: createPasswords() };
    process.exitCode = await runApply({ file, ...options, config: { ...config, baseUrl } }, deps, io);
  });

program
  .command('migrate')
  .description('bring the schema of the database up to date')
  .addHelpText('after', examples('parking-cloud migrate'))
  .action(async () => {
    const { databaseUrl: url } = configOf();
    const openStore = () => openCloudStore({ url, clock: systemClock, logger: warningsOf() });
    process.exitCode = await runMigrate({ openStore, migrations: MIGRATIONS }, io);
  });

program
  .command('backup')
  .description('copy the SQLite database of a cloud that may be running into FILE, and its server keys into FILE.keys')
  .argument('<file>', 'a file that is not there yet')
  .addHelpText('after', examples('parking-cloud backup /var/backups/cloud.db'))
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
  .addHelpText(
    'after',
    examples('parking-cloud move --from sqlite:/var/lib/parking/cloud.db --to postgres://parking@db.example/parking'),
  )
  .action(async (options: { from: string; to: string }) => {
    const logger = warningsOf();
    const openEnd = (end: MoveEndOptions) => openMoveEnd({ ...end, logger });
    const deps = { openEnd, migrations: MIGRATIONS, clock: systemClock };
    process.exitCode = await runMove({ ...options, dataDir: configOf().dataDir }, deps, io);
  });

program
  .command('token')
  .description('API tokens')
  .command('create')
  .description('make an API token and print it, once')
  .requiredOption('--account <name>', 'whose token')
  .requiredOption('--name <name>', 'what it is for')
  .addHelpText('after', examples('parking-cloud token create --account "Harbour Parking" --name integration'))
  .action(async (options: { account: string; name: string }) => {
    process.exitCode = await runCreateToken(options, depsOf(configOf()), io);
  });

const mail = program.command('mail').description('mails to guests and to receivers of alerts');
mail
  .command('list')
  .description('show mails that wait or failed')
  .option('--status <status>', 'those with this status instead: queued, sent or failed')
  .option('--json', 'for programs', false)
  .addHelpText('after', examples('parking-cloud mail list', 'parking-cloud mail list --status failed --json'))
  .action(async (options: MailListOptions) => {
    process.exitCode = await runMailList(options, depsOf(configOf()), io);
  });
for (const [name, run, description, all] of [
  [
    'retry',
    runMailRetry,
    'try mails again now that were not sent',
    'all that wait or failed, but for those that somebody ended',
  ],
  ['drop', runMailDrop, 'send mails no more that wait', 'all that wait'],
] as const) {
  mail
    .command(name)
    .description(description)
    .argument('[id...]', 'as the list shows them')
    .option('--all', all, false)
    .addHelpText('after', examples(`parking-cloud mail ${name} 17`, `parking-cloud mail ${name} --all`))
    .action(async (ids: string[], options: Pick<MailChoice, 'all'>) => {
      process.exitCode = await run({ ...options, ids }, depsOf(configOf()), io);
    });
}

program
  .command('audit')
  .description('the audit log')
  .command('verify')
  .description('look whether the audit log is the one that was written; exit code 1 when it is not')
  .option('--entries <number>', 'what the log line "head of the audit log" said of a time that it has to reach')
  .option('--head <hash>', 'the same')
  .option('--json', 'for programs', false)
  .addHelpText('after', examples('parking-cloud audit verify', 'parking-cloud audit verify --entries 1200 --head HASH'))
  .action(async (options: AuditVerifyOptions) => {
    process.exitCode = await runAuditVerify(options, depsOf(configOf()), io);
  });

program
  .command('replay')
  .description(
    'what other rules would have decided: prints the readings of a lot that a site file decides otherwise, as CSV',
  )
  .requiredOption('--lot <name>', 'whose readings: its name or id')
  .option('--account <name>', 'whose lot, where several accounts have one of this name')
  .requiredOption('--from <time>', 'such as 2026-01-01, or 2026-01-01T06:00:00Z')
  .requiredOption('--to <time>', 'not included')
  .requiredOption('--rules <file>', 'a site file')
  .option('--json', 'a JSON array instead of CSV', false)
  .addHelpText(
    'after',
    examples('parking-cloud replay --lot North --from 2026-01-01 --to 2026-02-01 --rules site.yaml'),
  )
  .action(async (options: ReplayOptions) => {
    process.exitCode = await runReplay(options, depsOf(configOf()), io);
  });

const releases = program.command('releases').description("releases of the gateways' software");
const releaseDepsOf = (config: CloudConfig) => ({
  ...depsOf(config),
  files: createReleaseFiles(join(config.dataDir, 'releases')),
});
releases
  .command('publish')
  .description('keep a signed RAUC bundle as a release, which no gateway installs yet')
  .argument('<file>', 'the bundle (.raucb); what it is stands in its manifest')
  .requiredOption(
    '--keyring <file>',
    'the authority that has to have signed it (PEM): the one that the cards were made with',
  )
  .option('--security-floor <version>', 'gateways that have this release install nothing older')
  .option('--json', 'for programs', false)
  .addHelpText(
    'after',
    examples('parking-cloud releases publish parking-gateway-1.3.0-arm64.raucb --keyring releases.pem'),
  )
  .action(async (file: string, options: Omit<Parameters<typeof runReleasePublish>[0], 'file'>) => {
    process.exitCode = await runReleasePublish({ ...options, file }, releaseDepsOf(configOf()), io);
  });
releases
  .command('list')
  .description('show the releases, and to whom they are rolled out')
  .option('--json', 'for programs', false)
  .addHelpText('after', examples('parking-cloud releases list'))
  .action(async (options: { json: boolean }) => {
    process.exitCode = await runReleaseList(options, depsOf(configOf()), io);
  });
releases
  .command('roll-out')
  .description('have a part of the gateways install a release; go on with one that was paused')
  .argument('<release>', 'its id')
  .requiredOption('--percent <number>', 'how many of them, 0 to 100; the same gateways are always the first')
  .option('--account <name>', 'the gateways of this account only')
  .option('--json', 'for programs', false)
  .addHelpText('after', examples('parking-cloud releases roll-out 3 --percent 10'))
  .action(async (id: string, options: { percent: string; account?: string; json: boolean }) => {
    process.exitCode = await runReleaseRollOut({ ...options, id }, releaseDepsOf(configOf()), io);
  });
for (const [name, run, description] of [
  ['pause', runReleasePause, 'let no further gateway begin to install a release'],
  ['remove', runReleaseRemove, 'forget a release and its file; gateways that have it keep it'],
] as const) {
  releases
    .command(name)
    .description(description)
    .argument('<release>', 'its id')
    .option('--json', 'for programs', false)
    .addHelpText('after', examples(`parking-cloud releases ${name} 3`))
    .action(async (id: string, options: { json: boolean }) => {
      process.exitCode = await run({ ...options, id }, releaseDepsOf(configOf()), io);
    });
}
releases
  .command('status')
  .description('show what each gateway has and shall have, and how far it is')
  .argument('[release]', 'its id')
  .option('--json', 'for programs', false)
  .addHelpText('after', examples('parking-cloud releases status 3'))
  .action(async (id: string | undefined, options: { json: boolean }) => {
    process.exitCode = await runReleaseStatus(id === undefined ? options : { ...options, id }, depsOf(configOf()), io);
  });

const ca = program.command('ca').description('a private authority for the certificates of brokers and services');
const caDirectoryOf = ({ dir }: { dir?: string }): string => dir ?? join(configOf().dataDir, 'ca');
ca.command('init')
  .description('make the authority: ca.pem, ca.key')
  .option('--dir <directory>', 'where it is kept (default: ca in DATA_DIR)')
  .option('--name <name>', 'what it is called', 'Parking private authority')
  .option('--days <days>', 'how long it is valid', '7300')
  .addHelpText('after', examples('parking-cloud ca init', 'parking-cloud ca init --dir /etc/parking/ca'))
  .action(async (options: { dir?: string; name: string; days: string }) => {
    process.exitCode = await runCaInit({ ...options, directory: caDirectoryOf(options) }, { clock: systemClock }, io);
  });
ca.command('issue')
  .description('issue a certificate for a server with these names and addresses')
  .argument('<host...>', 'what stands in the address that clients use; the first names the files')
  .option('--dir <directory>', 'where the authority is kept (default: ca in DATA_DIR)')
  .option('--to <directory>', 'where the files go (default: beside the authority)')
  .option('--days <days>', 'how long it is valid', '730')
  .addHelpText('after', examples('parking-cloud ca issue broker.example 192.0.2.7'))
  .action(async (hosts: string[], options: { dir?: string; to?: string; days: string }) => {
    const directory = caDirectoryOf(options);
    const to = options.to ?? directory;
    process.exitCode = await runCaIssue({ ...options, hosts, directory, to }, { clock: systemClock }, io);
  });

program
  .command('broker-config')
  .description('the configuration of an external broker')
  .command('nats')
  .description('write the configuration of each server of a NATS cluster')
  .argument('<directory>', 'where the files go')
  .argument('<host...>', 'the servers: one, or three and more')
  .option('--tls <directory>', 'where server.pem, server.key and ca.pem are on the servers', '/etc/nats')
  .option('--no-tls', 'without TLS, for a trial')
  .option('--store <directory>', 'where the servers keep their data', '/var/lib/nats')
  .addHelpText('after', examples('parking-cloud broker-config nats ./nats n1.example n2.example n3.example'))
  .action((directory: string, hosts: string[], options: { tls: string | false; store: string }) => {
    const keys = createNatsKeys(secretsOf(configOf()).derive);
    process.exitCode = runNatsConfig({ directory, hosts }, natsConfigs(keys, { ...options, hosts }), io);
  });

program
  .command('serve')
  .description('run the service')
  .addHelpText('after', examples('parking-cloud serve', 'parking-cloud --config cloud.env serve'))
  .action(serve);

runProgram(program);
