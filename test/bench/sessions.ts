/**
 * Lists, sums and exports over a million sessions through REST, each against the SQL a person would write for it, which
 * better-sqlite3 runs on the same file. The two run in turn, so that changes of the machine affect both.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { amount, type Child, median, newFolder, printFigure, startChild, alternate, timed } from './harness.js';
import { BENCH_NOW_MS, BENCH_TOKEN, fillSessions, ONE_LOT_TOKEN, seedBenchDatabase, SESSIONS } from './session-rows.js';
import { DAY_MS } from '../../shared/durations.js';

const RUNS = 5;
const MEMORY_EVERY_BYTES = 5_000_000;

/** Sends a request and reads the whole answer. @param onRead called with the bytes so far after each part, before the next is read */
async function get(
  port: number,
  path: string,
  onRead: (bytes: number) => Promise<void> = async () => {},
  token = BENCH_TOKEN,
): Promise<number> {
  const asked = request({ host: '127.0.0.1', port, path, headers: { authorization: `Bearer ${token}` } });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`);
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    await onRead(bytes);
  }
  return bytes;
}

async function compare(options: {
  what: string;
  reach: number;
  measured: () => Promise<unknown>;
  reference: () => unknown;
}): Promise<void> {
  const runs = { own: () => timed(options.measured), bare: () => timed(options.reference) };
  // The first run fills the caches.
  const { own, bare } = await alternate(RUNS, runs, 1);
  printFigure(options.what, amount(median(own), '{} ms'), amount(median(bare), 'bare SQL {} ms'), options.reach);
}

const SCOPE = 'account_id = 1 and lot_id in (1, 2, 3, 4)';
const SESSION_WITH_PLATES = `select sessions.*, entry.plate as entry_plate, exit.plate as exit_plate from sessions
  left join plate_readings as entry on entry.id = sessions.entry_reading_id
  left join plate_readings as exit on exit.id = sessions.exit_reading_id`;

async function comparePages(port: number, db: Database.Database): Promise<void> {
  const pages = [
    {
      filter: 'zone_id:eq:2',
      where: 'sessions.zone_id = 2',
      sort: 'duration:desc',
      order: 'ended_at - created_at desc',
    },
    { filter: 'status:eq:open', where: 'sessions.ended_at is null', sort: 'created_at:asc', order: 'created_at asc' },
    {
      filter: 'plate:like:ZG12',
      where: "sessions.plate_normalised like '%ZG12%'",
      sort: 'ended_at:desc',
      order: 'ended_at desc',
    },
    {
      filter: 'exit_type:eq:lpr_camera',
      where: "sessions.exit_type = 'lpr_camera'",
      sort: 'id:desc',
      order: 'id desc',
    },
  ];
  for (const { filter, where, sort, order } of pages) {
    const scope = `sessions.account_id = 1 and sessions.lot_id in (1, 2, 3, 4) and ${where}`;
    const page = db.prepare(
      `${SESSION_WITH_PLATES} where ${scope} order by ${order.replaceAll(/(\w+_at|\bid\b)/g, 'sessions.$1')}, sessions.id limit 300`,
    );
    const count = db.prepare(`select count(*) from sessions where ${scope}`);
    await compare({
      what: `300 of a million sessions, ${filter}, ${sort}`,
      reach: 2,
      measured: () => get(port, `/v2/sessions?size=300&filter=${encodeURIComponent(filter)}&sort=${sort}`),
      reference: () => [page.all(), count.get()],
    });
  }
}

/** What the answer says of a plate, and how many plates there are. */
const vehiclesIn = (scope: string) => `select plate_normalised, count(*) as visits, sum((ended_at - created_at) / 1000),
  sum(amount_paid_minor), min(created_at), max(coalesce(ended_at, created_at)), count(*) over () from sessions where ${scope}
  group by plate_normalised order by visits desc, plate_normalised desc limit 300`;

async function compareSums(port: number, db: Database.Database): Promise<void> {
  const from = BENCH_NOW_MS - 366 * DAY_MS;
  const begun = db.prepare(`select (created_at - ${from}) / 3600000 as bucket, count(*), count(ended_at),
    sum((ended_at - created_at) / 1000), sum(amount_paid_minor) from sessions where ${SCOPE} and created_at >= ? group by bucket`);
  const ended = db.prepare(
    `select (ended_at - ${from}) / 3600000 as bucket, count(*) from sessions where ${SCOPE} and ended_at >= ? group by bucket`,
  );
  await compare({
    what: 'session analytics of a year by day, a million sessions',
    reach: 2,
    measured: () => get(port, `/v2/sessions/analytics?date_from=${new Date(from).toISOString()}`),
    reference: () => [begun.all(from), ended.all(from)],
  });
  const vehicles = db.prepare(vehiclesIn(SCOPE));
  await compare({
    what: 'vehicle analytics, 300 of 200,000 plates, a million sessions',
    reach: 2,
    measured: () => get(port, '/v2/sessions/vehicle-analytics?size=300'),
    reference: () => vehicles.all(),
  });
  const ofOneLot = db.prepare(vehiclesIn('account_id = 1 and lot_id = 1'));
  await compare({
    what: 'vehicle analytics for a user of one lot, 300 of its plates, 250,000 sessions',
    reach: 2,
    measured: () => get(port, '/v2/sessions/vehicle-analytics?size=300', undefined, ONE_LOT_TOKEN),
    reference: () => ofOneLot.all(),
  });
}

async function compareExports(server: Child<{ port: number }>, db: Database.Database): Promise<void> {
  const rows = db.prepare(`${SESSION_WITH_PLATES} where sessions.account_id = 1 order by sessions.id desc`);
  const readAll = () => {
    let count = 0;
    for (const row of rows.iterate()) if (row !== null) count++;
    if (count !== SESSIONS) throw new Error(`read ${count} rows`);
  };
  await timed(readAll);
  const { port } = server.started;
  const rssMb = () => server.ask<number>('memory');
  const before = await rssMb();
  const memoryMb: number[] = [];
  let bytes = 0;
  const own = await timed(async () => {
    bytes = await get(port, '/v2/sessions/export', async (read) => {
      if (read >= (memoryMb.length + 1) * MEMORY_EVERY_BYTES) memoryMb.push(await rssMb());
    });
  });
  const half = Math.floor(memoryMb.length / 2);
  const [firstHalfMb, secondHalfMb] = [Math.max(...memoryMb.slice(0, half)), Math.max(...memoryMb.slice(half))];
  const bare = await timed(readAll);
  printFigure(
    `CSV of a million sessions, ${(bytes / 1e6).toFixed(0)} MB`,
    amount(own, '{} ms'),
    amount(bare, 'database read alone {} ms'),
    3,
  );
  printFigure(
    'highest RSS of the cloud in the second half of that export',
    amount(secondHalfMb, '{} MB'),
    amount(firstHalfMb, `{} MB in the first (before it ${before.toFixed(0)} MB)`),
    1.1,
  );
  const vehicles = await timed(() => get(port, '/v2/sessions/vehicle-analytics/export'));
  printFigure(
    'CSV of 200,000 vehicles',
    amount(vehicles, '{} ms'),
    amount(bare, 'database read of the sessions alone {} ms'),
    null,
  );
}

/** Runs the benchmark. */
export async function benchSessions(): Promise<void> {
  const directory = newFolder();
  const path = join(directory, 'cloud.db');
  const madeMs = await timed(() => seedBenchDatabase(path).then(() => fillSessions(path)));
  console.log(`(a million sessions made in ${madeMs.toFixed(0)} ms)`);
  const server = await startChild<{ port: number }>('sessions-server.js', [directory]);
  const db = new Database(path, { readonly: true });
  try {
    await comparePages(server.started.port, db);
    await compareSums(server.started.port, db);
    await compareExports(server, db);
  } finally {
    db.close();
    await server.end();
  }
}
