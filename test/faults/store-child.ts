/**
 * A program that uses the agent's store until it is killed, and writes what the store promised, one JSON line per promise:
 * `node store-child.js FILE LINES ROUNDS`. LINES is the file for the lines (`-`: standard output).
 */
import { openSync, writeSync } from 'node:fs';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import { silentLogger } from '../../shared/logger.js';
import type { Lane } from '../../shared/uplink.js';
import {
  imageEntry,
  openingOf,
  readCommit,
  refinementCommit,
  sessionChange,
  sightingEntry,
} from '../world/agent-records.js';

/** Promises of the store (`kept`, `config`), and what the child is about to ask of it (`acknowledging`). */
export type ChildLine =
  | { type: 'kept'; lane: Lane; at: number }
  | { type: 'session'; uid: string }
  | { type: 'refined'; reading_uid: string }
  | { type: 'acknowledging'; lane: Lane; at: number }
  | { type: 'config'; revision: number }
  | { type: 'clock'; wall_ms: number };

const [path = '', lines = '-', rounds = 'Infinity'] = process.argv.slice(2);
const output = lines === '-' ? 1 : openSync(lines, 'w');
// One write per line: it is out before the next promise is awaited.
const print = (line: ChildLine): number => writeSync(output, `${JSON.stringify(line)}\n`);

const store = await openSqliteAgentStore({ path, logger: silentLogger });
/** Grows over all lives of the child: a life counts less than a thousand per millisecond. */
let at = Date.now() * 1_000;
const kept: Record<Lane, number[]> = { 0: [], 1: [], 2: [] };

async function keep(lane: Lane, call: (event_ms: number) => Promise<number>): Promise<void> {
  const event_ms = ++at;
  await call(event_ms);
  print({ type: 'kept', lane, at: event_ms });
  kept[lane].push(event_ms);
}

async function readWithSession(event_ms: number): Promise<number> {
  const session = sessionChange('ZG1234AB');
  const read = readCommit({ reading: { event_ms }, sessions: [session] });
  await store.recordRead(read);
  print({ type: 'session', uid: session.uid });
  const begun = sessionChange('ZG1234AC');
  const refined = { plate: 'ZG1234AC', opening: openingOf('0000000c'), sessions: [begun] };
  const seq = await store.recordRefinement(refinementCommit(read, refined));
  print({ type: 'session', uid: begun.uid });
  print({ type: 'refined', reading_uid: read.uid });
  return seq;
}

async function acknowledgeHalf(lane: Lane): Promise<void> {
  const { epoch, lanes } = await store.outboxState();
  const first_seq = lanes[lane]?.first_seq ?? 1;
  const seq = first_seq + Math.floor((lanes[lane]?.rows ?? 0) / 2) - 1;
  const [row] = await store.outboxRows(lane, seq - 1);
  if (row === undefined || row.seq !== seq || !('event_ms' in row.payload)) return;
  print({ type: 'acknowledging', lane, at: row.payload.event_ms });
  await store.acknowledge({ epoch, lane, seq });
}

for (let round = 1; round <= Number(rounds); round++) {
  await Promise.all([
    ...[1, 2, 3].map(() => keep(0, (event_ms) => store.append(sightingEntry(event_ms, 0)))),
    ...[1, 2].map(() => keep(1, (event_ms) => store.append(sightingEntry(event_ms)))),
    keep(2, () => store.appendImage(imageEntry(new Uint8Array(3_000 + (round % 7) * 2_000)))),
  ]);
  if (round % 3 === 0) await readWithSession(++at);
  if (round % 5 === 0) await acknowledgeHalf(1);
  if (round % 7 === 0) {
    await store.applyConfig({
      section: 'plates',
      base: null,
      revision: String(at),
      upsert: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`P${index}`, { revision: at }])),
      remove: [],
      applied: null,
    });
    print({ type: 'config', revision: at });
  }
  if (round % 11 === 0) await store.startOutboxEpoch();
  if (round % 13 === 0) {
    await store.saveClockFloor(at);
    print({ type: 'clock', wall_ms: at });
  }
}
await store.close();
