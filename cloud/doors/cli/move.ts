/** `parking-cloud move --from URL --to URL` */
import type { Clock } from '../../../shared/clock.js';
import { SettingsError } from '../../../shared/settings.js';
import {
  absoluteDatabaseUrl,
  DATABASE_URL_ALLOWED,
  isDatabaseUrl,
  type Migrations,
  moveDatabase,
  type MovedTable,
  type MoveEnd,
  type MoveEndOptions,
  type MoveProgress,
  MoveRefusedError,
  shownDatabaseUrl,
} from '../../kernel/store/entry.js';
import type { CommandIo } from './apply.js';
import { errorText } from '../../../shared/error-text.js';

const PROGRESS_EVERY_MS = 2_000;

export interface MoveOptions {
  /** Addresses in the form of DATABASE_URL. */
  from: string;
  to: string;
  /** Where pictures and server keys are. */
  dataDir: string;
}

export interface MoveDeps {
  openEnd(options: MoveEndOptions): Promise<MoveEnd>;
  migrations: Migrations;
  clock: Clock;
}

/**
 * Copies a cloud's database into an empty one of either kind, while no cloud works with either. The target has everything in the end, or
 * nothing; the source stays as it is.
 * @returns the exit code: 0 done, 2 it cannot begin, and nothing was written
 * @throws what else goes wrong: exit code 1
 */
export async function runMove({ from, to, dataDir }: MoveOptions, deps: MoveDeps, io: CommandIo): Promise<0 | 2> {
  for (const [flag, url] of Object.entries({ '--from': from, '--to': to })) {
    if (!isDatabaseUrl(url))
      throw new SettingsError([`${flag}: this value is not allowed; allowed: ${DATABASE_URL_ALLOWED}`]);
  }
  if (absoluteDatabaseUrl(from) === absoluteDatabaseUrl(to))
    throw new SettingsError(['--from and --to are the same database']);
  let moved: MovedTable[];
  try {
    moved = await moveBetween({ from, to }, deps, io);
  } catch (error) {
    if (!(error instanceof MoveRefusedError)) throw error;
    io.err(errorText(error));
    return 2;
  }
  const full = moved.filter(({ rows }) => rows > 0);
  for (const { name, rows, hash } of full) io.out(`${name.padEnd(24)} ${String(rows).padStart(12)} rows  ${hash}`);
  for (const { name, replaced } of full.filter((table) => table.replaced > 0)) {
    io.out(
      `${name}: ${replaced} texts have a NUL character, which PostgreSQL cannot store; U+FFFD stands in its place.`,
    );
  }
  io.out(
    `${full.length} tables have the same rows on both sides, and the other ${moved.length - full.length} have none.`,
  );
  io.out(`Pictures and server keys stay in ${dataDir}: the cloud needs them as before.`);
  io.out(`Now start the cloud with DATABASE_URL=${shownDatabaseUrl(to)} (and its password, if it has one).`);
  io.out(
    `The way back: ${shownDatabaseUrl(from)} is as it was. Once the cloud has worked here, move to a new database.`,
  );
  return 0;
}

async function moveBetween(
  { from, to }: Pick<MoveOptions, 'from' | 'to'>,
  { openEnd, migrations, clock }: MoveDeps,
  io: CommandIo,
): Promise<MovedTable[]> {
  let saidAt = 0;
  const onProgress = ({ step, table, rows, of }: MoveProgress) => {
    if (clock.now() - saidAt < PROGRESS_EVERY_MS) return;
    saidAt = clock.now();
    io.note(`${step}  ${table}  ${rows} of ${of} rows`);
  };
  const source = await openEnd({ url: from, role: 'source' });
  try {
    return await moveDatabase(source, () => openEnd({ url: to, role: 'target' }), { migrations, onProgress });
  } finally {
    await source.close();
  }
}
