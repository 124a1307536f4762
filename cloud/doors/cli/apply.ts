/** `parking-cloud apply FILE` */
import type { Clock } from '../../../shared/clock.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import {
  createSecrets,
  loadServerKey,
  type Passwords,
  requireServerKey,
  type Secrets,
} from '../../kernel/secrets/entry.js';
import { applySite } from '../site-file/apply-site.js';
import { readSiteFile, type SiteFile } from '../site-file/read-site-file.js';
import { SiteFileError } from '../site-file/site-file-error.js';
import { readSiteText } from '../site-file/site-file-text.js';
import { reportSite } from '../site-file/site-report.js';

/** Where a subcommand prints; each call prints one line. */
export interface CommandIo {
  out(line: string): void;
  /** Why it failed, or a part of it. */
  err(line: string): void;
  /** Anything else that is no result: progress, and what to do next. */
  note(line: string): void;
}

export interface CommandDeps {
  /** Opens the database, and brings its schema up to date. */
  openStore(): Promise<CloudStore>;
  /** By the server's key. */
  derive: Secrets['derive'];
  clock: Clock;
}

/** Opens the database, and closes it after the work. */
export async function withStore<T>(
  { openStore }: Pick<CommandDeps, 'openStore'>,
  work: (store: CloudStore) => Promise<T>,
): Promise<T> {
  const store = await openStore();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/**
 * The same for work that writes or checks audit entries: they are chained by the server key of this database.
 * @throws SettingsError when the server key is not the database's
 */
export function withOwnStore<T>(
  deps: CommandDeps,
  work: (store: CloudStore) => Promise<T>,
  { isNoted = true } = {},
): Promise<T> {
  return withStore(deps, async (store) => {
    await requireServerKey({ store, secrets: deps, clock: deps.clock }, { isNoted });
    return work(store);
  });
}

export interface ApplyDeps extends Omit<CommandDeps, 'derive'> {
  passwords: Passwords;
}

export interface ApplyOptions {
  file: string;
  prune: boolean;
  /** Prints the plan and changes nothing; if there is no database yet, it creates an empty one. */
  dryRun: boolean;
  /** `baseUrl`: the public address of the cloud, for new links. */
  config: { dataDir: string; serverKey: string | null; baseUrl: string };
}

/**
 * Brings the database to what a site file declares. It works beside a running cloud.
 * @returns the exit code: 0 done, 2 the file is bad (every problem is printed, nothing was written)
 * @throws SettingsError when the server key is not the database's; what else goes wrong: exit code 1
 */
export async function runApply(options: ApplyOptions, deps: ApplyDeps, io: CommandIo): Promise<0 | 2> {
  try {
    const file = readSiteFile(options.file, await readSiteText(options.file));
    for (const line of await applyFile(file, options, deps)) io.out(line);
    return 0;
  } catch (error) {
    if (!(error instanceof SiteFileError)) throw error;
    for (const problem of error.problems) io.err(problem);
    io.err(`${error.count === 1 ? '1 problem' : `${error.count} problems`}; nothing was written`);
    return 2;
  }
}

async function applyFile(file: SiteFile, options: ApplyOptions, deps: ApplyDeps): Promise<string[]> {
  const secrets = createSecrets(loadServerKey(options.config));
  return withStore(deps, async (store) => {
    await requireServerKey({ ...deps, store, secrets }, { isNoted: !options.dryRun });
    const { baseUrl } = options.config;
    const site = { store, secrets, passwords: deps.passwords, clock: deps.clock, baseUrl };
    return reportSite(await applySite(file, site, options), options);
  });
}
