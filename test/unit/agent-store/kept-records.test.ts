import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentStore, StoreLimits } from '../../../agent/store/agent-store.js';
import { salvage } from '../../../agent/store/sqlite-agent-salvage.js';
import { openSqliteAgentStore } from '../../../agent/store/sqlite-agent-store.js';
import { HOUR_MS } from '../../../shared/durations.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import type { Lane } from '../../../shared/uplink.js';
import { imageEntry, sightingEntry } from '../../world/agent-records.js';

describe('what the cloud acknowledged, in the file', () => {
  let directory: string;
  let nowMs: number;
  let store: AgentStore;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'kept-records-'));
    nowMs = Date.UTC(2026, 10, 28);
    store = await open();
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  const path = () => join(directory, 'agent.db');
  const open = (limits: Partial<StoreLimits> = {}) =>
    openSqliteAgentStore({
      path: path(),
      logger: silentLogger,
      limits,
      clock: { ...systemClock, now: () => nowMs },
    });
  const reopen = async (limits: Partial<StoreLimits> = {}) => {
    await store.close();
    store = await open(limits);
  };
  /** Looks at the file, or changes it, while no agent works with it. */
  const inFile = async <T>(work: (db: Database.Database) => T): Promise<T> => {
    await store.close();
    const db = new Database(path());
    try {
      return work(db);
    } finally {
      db.close();
      store = await open();
    }
  };
  const acknowledge = async (lane: Lane, seq: number) =>
    store.acknowledge({ epoch: (await store.outboxState()).epoch, lane, seq });
  const append = (...times: number[]) => Promise.all(times.map((at) => store.append(sightingEntry(at))));
  /** How many rows of lane 1 wait when the cloud has nothing. */
  const rowsForNewCloud = async () => (await store.startOutboxEpoch([{ lane: 1, seq: 0 }])).lanes[1]?.rows;

  it('is deleted after 72 hours', async () => {
    await append(1, 2, 3);
    await acknowledge(1, 2);
    nowMs += 71 * HOUR_MS;
    await acknowledge(1, 3);
    expect(await inFile((db) => db.prepare('SELECT count(*) FROM outbox').pluck().get())).toBe(3);
    nowMs += 2 * HOUR_MS;
    await append(4);
    await acknowledge(1, 4);
    expect(await rowsForNewCloud()).toBe(2);
  });

  it('costs no write of its own: rows stay where they are, with a mark now and then', async () => {
    for (let at = 1; at <= 6; at++) {
      await append(at);
      await acknowledge(1, at);
    }
    const [rows, marks] = await inFile((db) =>
      ['outbox', 'acknowledged'].map((table) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()),
    );
    expect([rows, marks]).toEqual([6, 1]);
  });

  it('makes room in a file that is at its limit', async () => {
    await reopen({ fileBytesMax: 1024 * 1024 });
    for (let at = 1; at <= 16; at++) {
      await store.appendImage(imageEntry(new Uint8Array(100_000).fill(at)));
      await acknowledge(2, at);
    }
    expect((await store.outboxState()).lanes[2]).toMatchObject({ rows: 0, last_seq: 16 });
    expect(store.health.failed).toBeNull();
  });

  it('is no part of what is salvaged from a damaged file, nor reported as lost', async () => {
    await append(1, 2, 3);
    await acknowledge(1, 2);
    const other = join(directory, 'other.db');
    await (await openSqliteAgentStore({ path: other, logger: silentLogger })).close();
    await store.close();
    const into = new Database(other);
    salvage({ damagedPath: path(), into, boot_id: store.boot.boot_id, opened_ms: nowMs });
    expect(into.prepare('SELECT count(*) FROM outbox').pluck().get()).toBe(1);
    into.close();
  });
});
