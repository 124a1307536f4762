/** Writers who go on through every fault of a PostgreSQL server, and what has to be true of their changes afterwards. */
import { expect } from 'vitest';
import { type CloudStore, StoreError } from '../../cloud/kernel/store/cloud-store.js';
import { accountRow } from '../conformance/account-row.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import type { FaultTable } from './fault-table.js';

const WRITERS = 8;
/** An outage may be as long as a lock is waited for. */
const MORE_WITHIN_MS = 180_000;
const PAUSE_MS = 10;
const EXPECTED = 'what was answered is there once, and changes go on by themselves';

export interface Writers {
  /** What is committed for sure. */
  readonly done: ReadonlySet<string>;
  /** How changes were refused. */
  readonly codes: ReadonlySet<string>;
  /** Waits until so many more changes were answered. */
  more(count: number): Promise<unknown>;
  /** Waits until nothing was answered for so long. */
  stoodStill(ms: number): Promise<unknown>;
  /**
   * Ends them, and expects of all that was answered that it is there, and of all that is there that it is there once, with its event.
   * Completes the row of the table.
   */
  stop(): Promise<void>;
}

/** Writes all the time, and notes what is committed for sure, and of what that is not known. @param fault of the table's row */
export function startWriters(store: CloudStore, { faults, fault }: { faults: FaultTable; fault: string }): Writers {
  const saw = faults.row(fault, EXPECTED);
  const done = new Set<string>();
  const unknown = new Set<string>();
  const codes = new Set<string>();
  const life = new AbortController();
  let next = 0;
  let lastAt = performance.now();
  let silenceMs = 0;

  async function write(name: string): Promise<void> {
    await store.change(async (tx) => {
      const { id } = await tx.insertInto('accounts').values(accountRow(name)).returning('id').executeTakeFirstOrThrow();
      const payload = { uuid: name, status: 'online' } as const;
      tx.journal({ account_id: id, lot_id: 1, event: 'gateway_status', payload });
    });
  }

  async function writer(): Promise<void> {
    while (!life.signal.aborted) {
      next += 1;
      const name = `account ${next}`;
      try {
        await write(name);
        done.add(name);
        silenceMs = Math.max(silenceMs, performance.now() - lastAt);
        lastAt = performance.now();
      } catch (error) {
        unknown.add(name);
        codes.add(error instanceof StoreError ? error.code : String(error));
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  const writers = Array.from({ length: WRITERS }, writer);
  return {
    done,
    codes,
    more(count) {
      const from = done.size;
      return waitUntil(`${count} more changes`, () => done.size >= from + count, MORE_WITHIN_MS);
    },
    stoodStill: (ms) => waitUntil(`no change for ${ms} ms`, () => performance.now() - lastAt > ms, MORE_WITHIN_MS),
    async stop() {
      life.abort();
      await Promise.all(writers);
      const accounts = await store.reader.selectFrom('accounts').select('name').execute();
      const names = accounts.map(({ name }) => name);
      const events = await store.reader.selectFrom('events').select('payload').execute();
      const lost = [...done].filter((name) => !names.includes(name));
      const twice = names.length - new Set(names).size;
      expect(lost).toEqual([]);
      expect(twice).toBe(0);
      expect(names.filter((name) => !done.has(name) && !unknown.has(name))).toEqual([]);
      // An account and its event are one change.
      expect(events).toHaveLength(names.length);
      const how = codes.size === 0 ? '' : ` (${[...codes].join(', ')})`;
      const silence = `longest silence ${(silenceMs / 1_000).toFixed(1)} s`;
      saw(`${done.size} answered, ${unknown.size} refused${how}, ${lost.length} lost, ${twice} twice, ${silence}`);
    },
  };
}
