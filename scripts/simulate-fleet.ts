/** Thousands of gateways on one machine, each with the agent's own uplink, against a given cloud: scripts/fleet/README.md. */
import { Command, InvalidArgumentError } from 'commander';
import { readOpenFilesMax } from '../cloud/kernel/limit/socket-budget.js';
import { SiteFileError } from '../cloud/doors/site-file/site-file-error.js';
import { wakefulClock } from '../shared/system-clock.js';
import { fleetReportText } from './fleet/fleet-report.js';
import { type FleetSite, fleetSiteText, readFleetSite } from './fleet/fleet-site.js';
import { runFleet } from './fleet/run-fleet.js';
import { errorText } from '../shared/error-text.js';
import { FAILED, mannered, noteLines, runCommandLine } from '../shared/node/program.js';
import { SettingsError } from '../shared/settings.js';

/** The number of files that a process opens besides its gateways' sockets. */
const OTHER_FILES = 100;

interface RunOptions {
  cloud: string;
  site: string;
  state: string;
  token?: string;
  gateways?: number;
  rate: number;
  seconds: number;
  atOnce: number;
  processes: number;
  patience: number;
  logs: string[];
  json?: boolean;
}

function amount(text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('It is a number above 0.');
  return value;
}

function count(text: string): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) === 0) throw new InvalidArgumentError('It is a whole number above 0.');
  return Number(text);
}

const program = mannered(new Command('simulate-fleet')).description(
  'Thousands of gateways on one machine, which speak to a cloud as real ones do.',
);

program
  .command('site')
  .description('print a site file for a fleet: parking-cloud apply it')
  .requiredOption('--gateways <n>', 'how many', count)
  .action(({ gateways }: { gateways: number }) => {
    process.stdout.write(fleetSiteText(gateways));
  });

program
  .command('run')
  .description('claim the gateways of a site file, connect them, write records, and look whether each arrived once')
  .requiredOption('--cloud <url>', 'address of the cloud')
  .requiredOption('--site <file>', 'site file with gateways that have claim codes, and with cameras of them')
  .option('--state <directory>', "the gateways' identities, for the next run", './.data/fleet')
  .option('--token <token>', "API token (default: the first of the site file's account)")
  .option('--gateways <n>', 'only so many of them', count)
  .option('--rate <n>', 'records a second, of all gateways together', amount, 100)
  .option('--seconds <n>', 'how long to write', amount, 30)
  .option('--at-once <n>', 'how many are claimed or connect at the same time', count, 50)
  .option('--processes <n>', 'how many processes hold the gateways', count, 2)
  .option('--patience <s>', 'how long to wait while nothing moves', amount, 60)
  .option('--logs <file...>', "logs of the cloud's programs: an error or a warning in one of them fails the run", [])
  .option('--json', 'the report for programs')
  .action(run);

async function run(options: RunOptions): Promise<void> {
  const site = readSite(options.site);
  const gateways = site.gateways.slice(0, options.gateways);
  const token = options.token ?? site.token;
  if (gateways.length === 0) throw new SettingsError([`${options.site} has no gateway with a claim code`]);
  if (options.gateways !== undefined && gateways.length < options.gateways) {
    throw new SettingsError([
      `${options.site} has ${gateways.length} gateways with claim codes, not ${options.gateways}`,
    ]);
  }
  if (token === null) throw new SettingsError([`${options.site} has no API token: give one with --token`]);
  if (!/^https?:/.test(options.cloud) || !URL.canParse(options.cloud)) {
    throw new SettingsError([`--cloud ${options.cloud}: an address begins with http:// or https://`]);
  }
  const processes = Math.min(options.processes, gateways.length);
  const files = Math.ceil(gateways.length / processes) + OTHER_FILES;
  const filesMax = readOpenFilesMax();
  if (filesMax !== null && files > filesMax) {
    throw new SettingsError([
      `a process may open ${filesMax} files, and ${files} are needed: raise ulimit -n, or --processes`,
    ]);
  }
  const stop = new AbortController();
  process.once('SIGINT', () => {
    process.once('SIGINT', () => process.exit(FAILED));
    stop.abort();
  });
  const { cloud: cloudUrl, state, rate, seconds, atOnce, patience: patienceS, logs } = options;
  const report = await runFleet(
    { cloudUrl, token, gateways, state, rate, seconds, atOnce, processes, patienceS, logs },
    {
      clock: wakefulClock,
      onProgress: noteLines,
      stop: stop.signal,
    },
  );
  process.stdout.write(`${options.json ? JSON.stringify(report) : fleetReportText(report)}\n`);
  process.exitCode = report.ok ? 0 : FAILED;
}

function readSite(file: string): FleetSite {
  try {
    return readFleetSite(file);
  } catch (error) {
    if (error instanceof SiteFileError) throw new SettingsError(error.problems);
    throw new SettingsError([`${file} cannot be read: ${errorText(error)}`]);
  }
}

runCommandLine(program);
