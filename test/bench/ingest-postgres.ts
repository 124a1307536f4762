/**
 * Records of many gateways into PostgreSQL, against the rows that they become, which a person would insert in transactions of the same
 * size. The two take turns, so that changes of the machine affect both.
 */
import { Client } from 'pg';
import { inPieces } from '../../shared/grouping.js';
import type { LinkSite } from '../integration/gateway/link-site.js';
import { createStoreWorld } from '../integration/gateway/link-world.js';
import { entryRead, newOutboxEpoch, recordOf, wireBatch } from '../integration/ingest/gateway-records.js';
import { type PostgresServer, startPostgres } from '../world/postgres-server.js';
import { median, printFigure, timed } from './harness.js';
import { type BenchGateway, seedIngestSite } from './ingest-site.js';

const DATABASE = 'parking';
const SITE = { accounts: 16, gatewaysEach: 8 };
const BATCHES = 6;
const RECORDS_OF_BATCH = 25;
const ROUNDS = 5;
const CONNECTIONS = 8;
/** At least half the rate of the bare inserts. */
const TIME_MAX = 2;

/** The rows that a round left in a table. */
interface TableRows {
  table: string;
  columns: string[];
  rows: unknown[][];
}

export async function benchIngestPostgres(): Promise<void> {
  const server = await startPostgres({ isDurable: true, settings: ['shared_buffers=256MB', 'max_wal_size=4GB'] });
  try {
    await server.run(`create database ${DATABASE}`);
    await measure(server);
  } finally {
    await server.remove();
  }
}

async function measure(server: PostgresServer): Promise<void> {
  let commits = 0;
  const world = await createStoreWorld({
    databaseUrl: server.url(DATABASE),
    isHeard: false,
    onCommitted: ({ written }) => void (commits += written !== 'any' && written.has('plate_readings') ? 1 : 0),
  });
  const gateways = (await seedIngestSite(world.store, SITE)).map((gateway) => ({
    ...gateway,
    epoch: newOutboxEpoch(),
    seq: 0,
  }));
  const records = gateways.length * BATCHES * RECORDS_OF_BATCH;

  /** Each gateway sends its next batch when it has the acknowledgement of the one before. */
  async function ingest(): Promise<number> {
    const batches = gateways.map((gateway) => Array.from({ length: BATCHES }, () => nextBatch(gateway)));
    return timed(() =>
      Promise.all(
        gateways.map(async ({ uuid }, index) => {
          for (const batch of batches[index] ?? []) await world.ingest.apply(uuid, batch);
        }),
      ),
    );
  }

  await ingest();
  const counts = await rowCounts(server);
  commits = 0;
  const samples = { ingest: [await ingest()], one: [] as number[], several: [] as number[] };
  const perCommit = Math.max(1, Math.round(records / commits));
  const tables = await newRows(server, counts);
  for (const { table } of tables)
    await server.run(`create table bare_${table} (like ${table} including all)`, DATABASE);
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) samples.ingest.push(await ingest());
    samples.one.push(await insertBare(server, tables, { records, perCommit, connections: 1 }));
    samples.several.push(await insertBare(server, tables, { records, perCommit, connections: CONNECTIONS }));
  }
  await world.close();

  const perSecond = (times: readonly number[]) => Math.round((records / median(times)) * 1_000);
  const rows = tables.map(({ table, rows: { length } }) => `${(length / records).toFixed(2)} ${table}`).join(', ');
  console.log(`a record becomes ${rows}; ${perCommit} records a transaction`);
  for (const [what, times, reach] of [
    ['one connection', samples.one, TIME_MAX],
    [`${CONNECTIONS} connections`, samples.several, null],
  ] as const) {
    printFigure(
      `plate reads into PostgreSQL (time of ${records})`,
      [median(samples.ingest), `${perSecond(samples.ingest)} a second`],
      [median(times), `${perSecond(times)} of bare inserts on ${what}`],
      reach,
    );
  }
}

function nextBatch(gateway: BenchGateway & { epoch: ReturnType<typeof newOutboxEpoch>; seq: number }): Uint8Array {
  const site = { entryCamera: gateway.camera, zone: gateway.zone } as LinkSite;
  const records = Array.from({ length: RECORDS_OF_BATCH }, () => {
    gateway.seq += 1;
    const read = { access_decision: 'denied', access_decision_reason: 'whitelist', session: null } as const;
    const reading = { plate: `ZG${gateway.seq}${gateway.camera}` };
    return recordOf(gateway.seq, entryRead(site, { reading, read: { ...read, lot_entry: null, opening: null } }));
  });
  return wireBatch(gateway.epoch, 0, records);
}

async function rowCounts(server: PostgresServer): Promise<Map<string, number>> {
  const tables = await server.run("select tablename from pg_tables where schemaname = 'public'", DATABASE);
  const counts = new Map<string, number>();
  for (const { tablename } of tables) {
    const [row] = await server.run(`select count(*)::int as rows from ${String(tablename)}`, DATABASE);
    counts.set(String(tablename), Number(row?.['rows']));
  }
  return counts;
}

/** The rows beyond those that were counted, in the order in which they were written. */
async function newRows(server: PostgresServer, before: ReadonlyMap<string, number>): Promise<TableRows[]> {
  const tables: TableRows[] = [];
  for (const [table, count] of await rowCounts(server)) {
    const known = before.get(table) ?? 0;
    if (count === known) continue;
    const found = await server.run(`select * from ${table} order by ctid offset ${known}`, DATABASE);
    const columns = Object.keys(found[0] ?? {});
    tables.push({ table, columns, rows: found.map((row) => columns.map((column) => row[column])) });
  }
  return tables;
}

/** @returns how long it took, in milliseconds */
async function insertBare(
  server: PostgresServer,
  tables: readonly TableRows[],
  options: { records: number; perCommit: number; connections: number },
): Promise<number> {
  const { records, perCommit, connections } = options;
  for (const { table } of tables) await server.run(`truncate bare_${table}`, DATABASE);
  const transactions = Math.ceil(records / perCommit);
  const parts = tables.map(({ table, columns, rows }) => ({
    table,
    columns,
    pieces: inPieces(rows, Math.ceil(rows.length / transactions)),
  }));
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new Client({ connectionString: server.url(DATABASE) });
      await client.connect();
      return client;
    }),
  );
  let next = 0;
  const write = () =>
    Promise.all(
      clients.map(async (client) => {
        while (next < transactions) {
          const number = next;
          next += 1;
          await client.query('begin');
          for (const { table, columns, pieces } of parts) {
            const piece = pieces[number] ?? [];
            if (piece.length > 0) await client.query(insertText(table, columns, piece.length), piece.flat());
          }
          await client.query('commit');
        }
      }),
    );
  const took = await timed(write);
  for (const client of clients) await client.end();
  return took;
}

function insertText(table: string, columns: readonly string[], rows: number): string {
  const places = Array.from({ length: rows }, (_, row) => {
    const ofRow = columns.map((_column, column) => `$${row * columns.length + column + 1}`);
    return `(${ofRow.join(', ')})`;
  });
  return `insert into bare_${table} (${columns.join(', ')}) values ${places.join(', ')}`;
}
