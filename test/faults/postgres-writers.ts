/** Writers who go on through every fault of a PostgreSQL server, and what has to be true of their changes afterwards. */
import { expect } from 'vitest';
import { type CloudStore, StoreError } from '../../cloud/store/cloud-store.js';
import { accountRow } from '../conformance/account-row.js';
import { waitUntil } from '../sim/world/wait-until.js';

const WRITERS = 8;
/** An outage may be as long as a lock is waited for. */
const MORE_WITHIN_MS = 180_000;
const PAUSE_MS = 10;

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
   * Adds a line to the table.
   */
  stop(fault: string): Promise<void>;
}

/** Lines of the table that `printFaultTable` prints. */
const lines: string[][] = [['fault', 'answered', 'refused', 'how', 'lost', 'twice', 'longest silence']];

/** Writes all the time, and notes what is committed for sure, and of what that is not known. */
export function startWriters(store: CloudStore): Writers {
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
    async stop(fault) {
      life.abort();
      await Promise.all(writers);
      const accounts = await store.reader.selectFrom('accounts').select('name').execute();
      const names = accounts.map(({ name }) => name);
      const events = await store.reader.selectFrom('events').select('payload').execute();
      const lost = [...done].filter((name) => !names.includes(name));
      const twice = names.length - new Set(names).size;
      const silence = `${(silenceMs / 1_000).toFixed(1)} s`;
      lines.push([fault, done.size, unknown.size, [...codes].join(' '), lost.length, twice, silence].map(String));
      expect(lost).toEqual([]);
      expect(twice).toBe(0);
      expect(names.filter((name) => !done.has(name) && !unknown.has(name))).toEqual([]);
      // An account and its event are one change.
      expect(events).toHaveLength(names.length);
    },
  };
}

/** Prints what the writers of this file's tests went through. */
export function printFaultTable(): void {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  process.stdout.write(`${['Faults of PostgreSQL', ...text].join('\n')}\n`);
}
