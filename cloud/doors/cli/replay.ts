/** `parking-cloud replay --lot L --from T --to T --rules FILE` */
import {
  countReadings,
  type Difference,
  findReplayLots,
  type Range,
  replay,
  type ReplayCounts,
  type ReplayLot,
  replayRules,
  type ReplayRules,
} from '../../traffic/entry.js';
import { csvLine } from '../../../shared/csv-codec.js';
import { isoTime, parseTime } from '../../rest/entry.js';
import { readSiteFile } from '../site-file/read-site-file.js';
import { SiteFileError } from '../site-file/site-file-error.js';
import { readSiteText } from '../site-file/site-file-text.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type CommandDeps, type CommandIo, withStore } from './apply.js';
import { errorText } from '../../../shared/error-text.js';
import { printableJson } from '../../../shared/node/printable.js';

const PROGRESS_EVERY = 50_000;

export interface ReplayOptions {
  /** Name or id. */
  lot: string;
  account?: string;
  /** Dates, or ISO 8601 with Z or an offset. */
  from: string;
  to: string;
  /** A site file. */
  rules: string;
  json: boolean;
}

/** An error of the options, in words that say what to do. */
class WrongUse extends Error {}

/**
 * Prints the readings that the rules of a site file would have decided otherwise, as CSV or as a JSON array; progress and sums go to the
 * error output. Nothing is changed.
 * @param deps.progressEvery how many readings pass between two lines that say how far it is
 * @returns the exit code: 0 done, 2 wrong use or a bad file
 */
export async function runReplay(
  options: ReplayOptions,
  deps: Pick<CommandDeps, 'openStore'> & { progressEvery?: number },
  io: CommandIo,
): Promise<0 | 2> {
  try {
    const from = timeOf('--from', options.from);
    const to = timeOf('--to', options.to);
    if (to <= from) throw new WrongUse('--to: must be after --from');
    const { site } = readSiteFile(options.rules, await readSiteText(options.rules));
    return await withStore<0>(deps, async (store) => {
      const lot = await onlyLot(store, options);
      const account = site.accounts.find(({ name }) => name === lot.account);
      const rules = account === undefined ? null : replayRules(account, lot.name);
      if (rules === null) {
        throw new WrongUse(`--rules: ${options.rules} declares no lot ${lot.name} of account ${lot.account}`);
      }
      const { progressEvery = PROGRESS_EVERY } = deps;
      await printReplay(store, { range: { lot, from, to }, rules, json: options.json, progressEvery }, io);
      return 0;
    });
  } catch (error) {
    if (error instanceof SiteFileError) for (const problem of error.problems) io.err(problem);
    else if (error instanceof WrongUse) io.err(errorText(error));
    else throw error;
    return 2;
  }
}

function timeOf(option: string, text: string): number {
  const at = parseTime(text);
  if (at === undefined) throw new WrongUse(`${option}: ${text} is no time such as 2026-01-01 or 2026-01-01T06:00:00Z`);
  return at;
}

async function onlyLot(store: CloudStore, { lot, account }: ReplayOptions): Promise<ReplayLot> {
  const [found, ...others] = await findReplayLots(store.reader, { lot, account });
  if (found === undefined) throw new WrongUse(`--lot: there is no lot ${lot}`);
  if (others.length === 0) return found;
  const owners = [found, ...others].map((each) => `${each.account} (id ${each.id})`).join(', ');
  throw new WrongUse(`--lot: several accounts have a lot ${lot}: ${owners}; name one by --account, or the id`);
}

async function printReplay(
  store: CloudStore,
  { range, rules, json, progressEvery }: { range: Range; rules: ReplayRules; json: boolean; progressEvery: number },
  io: CommandIo,
): Promise<void> {
  const total = await countReadings(store.reader, range);
  const print = json ? jsonPrinter(io) : csvPrinter(io);
  const changes = new Map<string, number>();
  let sentCount = 0;
  const counts = await replay(store.reader, { range, rules }, (differences, soFar) => {
    for (const difference of differences) {
      print.one(difference);
      const change = `${shown(difference.decided)} -> ${shown(difference.instead)}`;
      changes.set(change, (changes.get(change) ?? 0) + 1);
    }
    if (soFar.readings - sentCount < progressEvery) return;
    sentCount = soFar.readings;
    io.note(`${soFar.readings} of ${total} readings (${Math.floor((100 * soFar.readings) / Math.max(1, total))} %)`);
  });
  print.end();
  for (const line of summary(counts, changes)) io.note(line);
}

function summary(counts: ReplayCounts, changes: ReadonlyMap<string, number>): string[] {
  const { readings, differing, without_facts, without_camera } = counts;
  return [
    `${readings} readings, ${differing} would be decided otherwise`,
    ...[...changes].sort(([, a], [, b]) => b - a).map(([change, count]) => `  ${count}  ${change}`),
    ...(without_facts === 0 ? [] : [`${without_facts} were left out: nothing is kept of what their decision saw`]),
    ...(without_camera === 0 ? [] : [`${without_camera} were left out: the file does not have their cameras`]),
  ];
}

const shown = ({ access_decision, access_decision_reason }: Difference['decided']): string =>
  access_decision === null ? 'no decision' : `${access_decision} ${access_decision_reason}`;

const flat = ({ decided, instead, ...difference }: Difference) => ({
  ...difference,
  created_at: isoTime(difference.created_at),
  ...decided,
  would_access_decision: instead.access_decision,
  would_access_decision_reason: instead.access_decision_reason,
});

const COLUMNS = [
  'plate_reading_id',
  'created_at',
  'plate',
  'lpr_camera',
  'direction',
  'access_decision',
  'access_decision_reason',
  'would_access_decision',
  'would_access_decision_reason',
] as const satisfies readonly (keyof ReturnType<typeof flat>)[];

interface Printer {
  one(difference: Difference): void;
  end(): void;
}

function csvPrinter(io: CommandIo): Printer {
  const line = (cells: Parameters<typeof csvLine>[0]) => io.out(csvLine(cells).trimEnd());
  line(COLUMNS);
  return {
    one(difference) {
      const row = flat(difference);
      line(COLUMNS.map((column) => row[column]));
    },
    end: () => {},
  };
}

/** One item a line. */
function jsonPrinter(io: CommandIo): Printer {
  let held: string | null = null;
  io.out('[');
  return {
    one(difference) {
      if (held !== null) io.out(`${held},`);
      held = printableJson(flat(difference));
    },
    end() {
      if (held !== null) io.out(held);
      io.out(']');
    },
  };
}
