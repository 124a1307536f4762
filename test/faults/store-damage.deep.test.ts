/** The agent's store on a file that is damaged, belongs to another program or cannot be used. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoreLimits } from '../../agent/store/agent-store.js';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { revisionOf } from '../../shared/config-revision.js';
import type { Logger } from '../../shared/logger.js';
import type { OutboxEpoch, RecordPayload } from '../../shared/uplink.js';
import { eventTimes, payloads } from '../conformance/agent-store-conformance.js';
import { imageEntry, openingOf, readCommit, sessionChange, sightingEntry } from '../world/agent-records.js';
import { seededRandom } from '../../scripts/sim/traffic/seeded-random.js';
import { SEED } from '../seed.js';
import { longRuns } from '../depth.js';

const PAGE_BYTES = 4096;
const READS = 600;
const PLATES = 2_000;
const ROUNDS = longRuns(8, 5);

let directory: string;
let path: string;
let logs: { level: string; fields: Record<string, unknown>; message: string }[];
const open = (limits: Partial<StoreLimits> = {}) => openSqliteAgentStore({ path, logger: recorder(), limits });

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'store-damage-'));
  path = join(directory, 'agent.db');
  logs = [];
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function recordAs(level: string) {
  return (fields: Record<string, unknown>, message: string): void => void logs.push({ level, fields, message });
}

function recorder(): Logger {
  return { debug: recordAs('debug'), info: recordAs('info'), warn: recordAs('warn'), error: recordAs('error') };
}

/** Fills a file with every kind of row: reads with sessions and openings, images, a configuration. Returns its outbox epoch. */
async function fillFile(): Promise<OutboxEpoch> {
  const store = await open();
  const plates = Object.fromEntries(Array.from({ length: PLATES }, (_, index) => [`P${index}`, { zone_ids: [index] }]));
  await store.applyConfig({
    section: 'plates',
    base: null,
    revision: revisionOf(Object.entries(plates)),
    upsert: plates,
    remove: [],
    applied: null,
  });
  await Promise.all(
    Array.from({ length: READS }, (_, at) => {
      const sessions = at % 3 === 0 ? [sessionChange(`S${at}`)] : [];
      const opening = at % 50 === 0 ? openingOf('0000000a') : null;
      return store.recordRead(
        readCommit({ reading: { event_ms: at, plate: `R${at}` }, sessions, record: { opening } }),
      );
    }),
  );
  await Promise.all(Array.from({ length: 40 }, (_, at) => store.append(sightingEntry(at))));
  await Promise.all(
    Array.from({ length: 20 }, (_, at) => store.appendImage(imageEntry(new Uint8Array(9_000).fill(at)))),
  );
  await store.saveClockFloor(1_234_567);
  const { epoch } = await store.outboxState();
  await store.acknowledge({ epoch, lane: 0, seq: 100 });
  await store.close();
  return epoch;
}

/** Overwrites pages of the file with noise; pages are counted from 1, as SQLite does. */
function overwritePages(pages: number[], random = seededRandom(1)): void {
  const bytes = readFileSync(path);
  for (const page of pages) {
    for (let at = (page - 1) * PAGE_BYTES; at < page * PAGE_BYTES && at < bytes.length; at++)
      bytes[at] = random() * 256;
  }
  writeFileSync(path, bytes);
}

/** Pages that hold rows of a table, leaves first. */
function leavesOf(table: string): number[] {
  const db = new Database(path, { readonly: true });
  const root = Number(db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table));
  db.close();
  const bytes = readFileSync(path);
  const page = bytes.subarray((root - 1) * PAGE_BYTES, root * PAGE_BYTES);
  expect(page[0]).toBe(5);
  const cells = page.readUInt16BE(3);
  return Array.from({ length: cells }, (_, cell) => page.readUInt32BE(page.readUInt16BE(12 + cell * 2)));
}

const damagedFiles = () => readdirSync(directory).filter((name) => name.includes('.damaged-'));
const readTimes = (rows: RecordPayload[]) =>
  rows.flatMap((payload) => (payload.kind === 'plate_read' ? [payload.reading.event_ms] : []));
const lossesIn = (rows: RecordPayload[]) => rows.filter((payload) => payload.kind === 'lost');

describe('a damaged file', () => {
  it('is put aside, and all but what the damage took goes on in a new outbox epoch', async () => {
    const epoch = await fillFile();
    const leaves = leavesOf('outbox');
    overwritePages([leaves[Math.floor(leaves.length / 4)] ?? 0]);
    const store = await open();
    try {
      expect(store.health.quarantined).toMatch(/agent\.db\.damaged-/);
      expect(existsSync(store.health.quarantined ?? '')).toBe(true);
      expect(logs.filter((line) => line.level === 'error').map((line) => line.message)).toEqual([
        'salvaged from the damaged store',
        'the store was damaged: it is put aside and a new one is begun',
      ]);
      expect((await store.outboxState()).epoch).not.toBe(epoch);

      const critical = await payloads(store, 0);
      const times = readTimes(critical);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      // What was acknowledged does not come back; one page of some 280 holds a handful of records.
      expect(times[0]).toBe(100);
      expect(times.length).toBeGreaterThan(READS - 100 - 20);
      expect(times.length).toBeLessThan(READS - 100);
      const missing = Array.from({ length: READS - 100 }, (_, index) => index + 100).filter(
        (at) => !times.includes(at),
      );
      const [loss, ...others] = lossesIn(critical);
      expect(others).toEqual([]);
      // The record of time t had seq t + 1.
      expect(loss).toEqual({ kind: 'lost', lane: 0, from: (missing[0] ?? 0) + 1, to: (missing.at(-1) ?? 0) + 1 });
      expect(await eventTimes(store, 1)).toEqual(Array.from({ length: 40 }, (_, at) => at));
      expect(await payloads(store, 2)).toHaveLength(20);

      expect(store.boot.recent_reads).toHaveLength(READS);
      expect(store.boot.intents).toHaveLength(READS / 50);
      expect(store.boot.clock_floor_ms).toBe(1_234_567);
      expect(Object.keys(store.boot.config[0]?.items ?? {})).toHaveLength(PLATES);
      expect(store.boot.sessions).toHaveLength(READS / 3);
      const rows = await store.outboxRows(0, 0);
      const bySeq = new Map(rows.map((row) => [row.seq, row.payload]));
      for (const session of store.boot.sessions) {
        const carrier = bySeq.get(session.seq);
        if (carrier?.kind === 'plate_read') expect(`S${carrier.reading.event_ms}`).toBe(session.plate);
      }
      expect(await store.append(sightingEntry(7, 0))).toBe(critical.length + 1);
    } finally {
      await store.close();
    }
    const again = await open();
    expect(again.health.quarantined).toBeNull();
    await again.close();
  });

  it('says by its revision that its configuration is not whole', async () => {
    await fillFile();
    const leaves = leavesOf('config_items');
    overwritePages([leaves[3] ?? 0]);
    const store = await open();
    const [plates] = store.boot.config;
    const items = Object.entries(plates?.items ?? {});
    expect(items.length).toBeGreaterThan(PLATES - 200);
    expect(items.length).toBeLessThan(PLATES);
    expect(plates?.revision).toBe(revisionOf(items));
    await store.close();
  });

  it.each<[string, () => void]>([
    ['its head is noise', () => overwritePages([1])],
    ['it is noise from end to end', () => overwritePages(Array.from({ length: 2_000 }, (_, page) => page + 1))],
    ['it is another kind of file', () => writeFileSync(path, 'not a database'.repeat(1_000))],
  ])('is replaced by an empty one when %s', async (_name, damage) => {
    await fillFile();
    damage();
    const store = await open();
    expect(store.health.quarantined).not.toBeNull();
    expect(store.boot).toMatchObject({ config: [], sessions: [], recent_reads: [], intents: [] });
    expect(await store.recordRead(readCommit())).toBe(1);
    await store.close();
  });

  it('gives what it can when its end is cut off', async () => {
    await fillFile();
    truncateSync(path, Math.floor(statSync(path).size / 2 / PAGE_BYTES) * PAGE_BYTES);
    const store = await open();
    expect(store.health.quarantined).not.toBeNull();
    const times = readTimes(await payloads(store, 0));
    expect(times.length).toBeGreaterThan(50);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    await store.close();
  });

  it('never stops the start, and never gives back what was not put in', async () => {
    await fillFile();
    const pristine = join(directory, 'pristine');
    copyFileSync(path, pristine);
    const pages = statSync(path).size / PAGE_BYTES;
    const random = seededRandom(SEED);
    for (let round = 0; round < ROUNDS; round++) {
      copyFileSync(pristine, path);
      overwritePages(
        Array.from({ length: 1 + (round % 4) }, () => 1 + Math.floor(random() * pages)),
        random,
      );
      const store = await open();
      try {
        const times = readTimes(await payloads(store, 0));
        expect(times, `seed ${SEED}, round ${round}`).toEqual([...new Set(times)].toSorted((a, b) => a - b));
        expect(times.every((at) => at < READS)).toBe(true);
        for (const section of store.boot.config) {
          expect(section.revision).toBe(revisionOf(Object.entries(section.items)));
        }
        for (const session of store.boot.sessions) expect(session.plate).toMatch(/^S\d+$/);
        await store.recordRead(readCommit());
      } finally {
        await store.close();
      }
    }
    expect(logs.filter((line) => line.message.includes('put aside')).length).toBeGreaterThan(ROUNDS / 3);
    // Only the latest damaged files are kept.
    expect(damagedFiles().filter((name) => !/-(wal|shm)$/.test(name))).toHaveLength(3);
  });

  it('keeps the rest of a batch when one record in it is damaged', async () => {
    await fillFile();
    const bytes = readFileSync(path);
    const at = bytes.indexOf('"event_ms":300,');
    bytes.write('"event_ms":{{{,', at);
    writeFileSync(path, bytes);
    const store = await open();
    expect(store.health.quarantined).toBeNull();
    const rows = await payloads(store, 0);
    expect(rows).toHaveLength(READS - 100);
    expect(lossesIn(rows)).toEqual([{ kind: 'lost', lane: 0, from: 301, to: 301 }]);
    expect(logs.some((line) => line.level === 'warn' && line.fields.seq === 301)).toBe(true);
    await store.close();
  });

  it('boots without a configuration item that is damaged, and says so by its revision', async () => {
    await fillFile();
    const bytes = readFileSync(path);
    bytes.write('{"zone_ids":[77{', bytes.indexOf('{"zone_ids":[777]'));
    writeFileSync(path, bytes);
    const store = await open();
    const [plates] = store.boot.config;
    const items = Object.entries(plates?.items ?? {});
    expect(items).toHaveLength(PLATES - 1);
    expect(plates?.revision).toBe(revisionOf(items));
    await store.close();
  });

  it('is put aside while the agent runs, which goes on', async () => {
    await fillFile();
    const leaves = leavesOf('outbox');
    const store = await open();
    // More than SQLite keeps in memory: the pages of lane 0 have to be read again.
    await Promise.all(Array.from({ length: 12_000 }, (_, at) => store.append(sightingEntry(at))));
    await eventTimes(store, 1);
    const bytes = readFileSync(path);
    for (const page of leaves) bytes.fill(0xa5, (page - 1) * PAGE_BYTES, page * PAGE_BYTES);
    writeFileSync(path, bytes);
    await expect(store.outboxRows(0, 300)).rejects.toMatchObject({ code: 'io' });
    const before = store.boot.boot_id;
    expect(await store.recordRead(readCommit({ reading: { event_ms: 77_777 } }))).toBeGreaterThan(0);
    expect(store.health.quarantined).not.toBeNull();
    const rows = await payloads(store, 0);
    expect(readTimes(rows).at(-1)).toBe(77_777);
    expect(store.boot.boot_id).toBe(before);
    await store.close();
  });
});

describe('putting aside that a power cut interrupted', () => {
  /** The new file is complete; the damaged file may already have been moved, and its log not yet. */
  it.each<[string, string[]]>([
    ['before anything was moved', []],
    ['after the file was moved', ['']],
    ['after file and log were moved', ['', '-wal']],
  ])('%s', async (_name, moved) => {
    await fillFile();
    const db = new Database(path);
    db.pragma('journal_mode = WAL');
    db.prepare('UPDATE meta SET clock_floor_ms = 99').run();
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, `${path}.copy${suffix}`);
    db.close();
    copyFileSync(path, `${path}.salvaged`);
    await rm(path);
    for (const suffix of ['', '-wal']) {
      renameSync(`${path}.copy${suffix}`, moved.includes(suffix) ? `${path}.damaged-earlier${suffix}` : path + suffix);
    }
    const store = await open();
    expect(await payloads(store, 0)).toHaveLength(READS - 100);
    expect(store.boot.clock_floor_ms).toBe(99);
    expect(existsSync(`${path}.salvaged`)).toBe(false);
    await store.close();
  });
});

describe('a sound file', () => {
  it('is readable by its owner only, and so is its log', async () => {
    const modes = () => [path, `${path}-wal`].map((file) => statSync(file).mode & 0o777);
    const made = await open();
    await made.recordRead(readCommit());
    expect(modes()).toEqual([0o600, 0o600]);
    await made.close();
    chmodSync(path, 0o644);
    const reopened = await open();
    await reopened.recordRead(readCommit());
    expect(modes()).toEqual([0o600, 0o600]);
    await reopened.close();
  });

  it('shows its size with its log, as it is now', async () => {
    const store = await open();
    const before = store.health.file_bytes;
    for (let at = 0; at < 20; at++) await store.recordRead(readCommit());
    expect(store.health.file_bytes).toBeGreaterThan(before);
    expect(store.health.file_bytes).toBe(statSync(path).size + statSync(`${path}-wal`).size);
    await store.close();
  });
});

describe('a file that cannot be used', () => {
  it('is not used without a write-ahead log', async () => {
    const cwd = process.cwd();
    // The store creates a file of this name before SQLite takes the name for a database in memory.
    process.chdir(directory);
    const inMemory = openSqliteAgentStore({ path: ':memory:', logger: recorder() }).finally(() => process.chdir(cwd));
    await expect(inMemory).rejects.toMatchObject({
      code: 'io',
      message: expect.stringContaining('journal_mode memory'),
    });
  });

  it('is not used while another program has it', async () => {
    const first = await open();
    await expect(open()).rejects.toMatchObject({ code: 'io', message: expect.stringContaining('locked') });
    await first.close();
    await (await open()).close();
  });

  it.each([
    ['a newer agent', 999],
    ['an agent from before the first release', 3],
  ])('is left alone when %s wrote it', async (other, version) => {
    await fillFile();
    const db = new Database(path);
    db.pragma(`user_version = ${version}`);
    db.pragma(`application_id = ${version}`);
    db.close();
    const before = readFileSync(path);
    await expect(open()).rejects.toMatchObject({ code: 'io', message: expect.stringContaining(other) });
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(damagedFiles()).toEqual([]);
  });

  it('goes on with the file of a newer agent that says so: the update to it fell back', async () => {
    await fillFile();
    const db = new Database(path);
    const ours = Number(db.pragma('user_version', { simple: true }));
    expect(Number(db.pragma('application_id', { simple: true }))).toBeLessThanOrEqual(ours);
    db.exec('ALTER TABLE camera_clocks ADD COLUMN later TEXT');
    db.pragma(`user_version = ${ours + 1}`);
    db.close();
    const store = await open();
    expect((await store.outboxState()).lanes.some(({ rows }) => rows > 0)).toBe(true);
    await store.close();
  });

  it('is named when its directory is not there', async () => {
    path = join(directory, 'nowhere', 'agent.db');
    await expect(open()).rejects.toMatchObject({ code: 'io', message: expect.stringContaining('nowhere') });
  });
});

describe('a file at its limit', () => {
  const limits = { fileBytesMax: 600_000 };

  it('refuses the picture that does not fit, and keeps the record that came with it', async () => {
    const store = await open(limits);
    const [picture, record] = await Promise.allSettled([
      store.appendImage(imageEntry(new Uint8Array(900_000))),
      store.append(sightingEntry(1, 0)),
    ]);
    expect(picture).toMatchObject({ status: 'rejected', reason: { code: 'full' } });
    expect(record).toMatchObject({ status: 'fulfilled', value: 1 });
    await store.close();
  });

  it('takes records again when acknowledged ones made room', async () => {
    const store = await open(limits);
    let kept = 0;
    const fill = async () => {
      for (;;) await store.appendImage(imageEntry(new Uint8Array(50_000))).then(() => kept++);
    };
    await expect(fill()).rejects.toMatchObject({ code: 'full' });
    expect(kept).toBeGreaterThan(5);
    const { epoch } = await store.outboxState();
    await store.acknowledge({ epoch, lane: 2, seq: kept });
    expect(await store.appendImage(imageEntry(new Uint8Array(50_000)))).toBe(kept + 1);
    await store.close();
  });

  it('refuses calls while more waits for the disk than memory may hold', async () => {
    const store = await open({ pendingBytesMax: 200_000 });
    const results = await Promise.allSettled(
      [1, 2, 3].map(() => store.appendImage(imageEntry(new Uint8Array(90_000)))),
    );
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(await store.appendImage(imageEntry(new Uint8Array(90_000)))).toBe(3);
    await store.close();
  });
});

describe('a worker thread that ends by itself', () => {
  let workers: Worker[];
  const caught = (worker: Worker) => void workers.push(worker);
  beforeEach(() => {
    workers = [];
    process.on('worker', caught);
  });
  afterEach(() => void process.off('worker', caught));

  it('fails the calls under way, and is followed by another that goes on with the same file', async () => {
    const store = await open();
    expect(await store.append(sightingEntry(1, 0))).toBe(1);
    const pending = store.append(sightingEntry(2, 0));
    const refused = expect(pending).rejects.toMatchObject({ code: 'io' });
    void workers[0]?.terminate();
    await refused;
    const boot_id = store.boot.boot_id;
    expect(await store.append(sightingEntry(3, 0))).toBeGreaterThan(1);
    expect(workers).toHaveLength(2);
    const rows = await store.outboxRows(0, 0);
    expect(rows.at(-1)?.boot_id).toBe(boot_id);
    expect(logs.filter((line) => line.level === 'error')).toHaveLength(1);
    await store.close();
  });

  it('is not followed by a third when the second did nothing; the store says that it is broken', async () => {
    const store = await open();
    await store.append(sightingEntry(1, 0));
    await workers[0]?.terminate();
    await expect.poll(() => workers).toHaveLength(2);
    await workers[1]?.terminate();
    await expect.poll(() => store.health.failed).toContain('broken');
    await expect(store.append(sightingEntry(2, 0))).rejects.toMatchObject({ code: 'io' });
    await store.close();
  });
});
