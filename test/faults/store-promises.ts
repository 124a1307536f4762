/** Checks that the agent's file contains what its user was promised. */
import { expect } from 'vitest';
import type { AgentStore } from '../../agent/store/agent-store.js';
import type { Lane, RecordPayload } from '../../shared/uplink.js';
import { payloads } from '../conformance/agent-store-conformance.js';
import type { ChildLine } from './store-child.js';

/** The complete lines of a child; the last may be cut off. */
export function parseLines(text: string): ChildLine[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ChildLine);
}

/** When the record's event happened; images have no time. */
function eventTime(payload: RecordPayload): number | null {
  if (payload.kind === 'sighting') return payload.event_ms;
  const isRead = payload.kind === 'plate_read' || payload.kind === 'plate_refined';
  return isRead ? payload.reading.event_ms : null;
}

/** Fails when a promise was broken: a record is lost or out of order, an acknowledged one is back, a session or revision is lost. */
export async function expectKept(store: AgentStore, lines: ChildLine[]): Promise<void> {
  for (const lane of [0, 1, 2] as const) await expectLane(store, lane, lines);
  const sessions = new Set<string>(store.boot.sessions.map((session) => session.uid));
  const promised = lines.flatMap((line) => (line.type === 'session' ? [line.uid] : []));
  expect(promised.filter((uid) => !sessions.has(uid))).toEqual([]);

  const refined = new Set<string>(lines.flatMap((line) => (line.type === 'refined' ? [line.reading_uid] : [])));
  const notified = store.boot.recent_reads.filter(({ uid }) => refined.has(uid));
  expect(notified.map(({ plate, states }) => [plate, states.length])).toEqual(
    Array.from(refined, () => ['ZG1234AC', 2]),
  );
  const opening = new Set<string>(store.boot.intents.map(({ reading_uid }) => reading_uid));
  expect([...refined].filter((uid) => !opening.has(uid))).toEqual([]);

  const revisions = lines.flatMap((line) => (line.type === 'config' ? [line.revision] : []));
  const plates = store.boot.config.find((section) => section.section === 'plates');
  if (revisions.length > 0) expect(Number(plates?.revision)).toBeGreaterThanOrEqual(Math.max(...revisions));
  // A snapshot is there as a whole or not at all.
  for (const item of Object.values(plates?.items ?? {})) expect(item).toEqual({ revision: Number(plates?.revision) });

  const floors = lines.flatMap((line) => (line.type === 'clock' ? [line.wall_ms] : []));
  expect(store.boot.clock_floor_ms).toBeGreaterThanOrEqual(Math.max(0, ...floors));
}

async function expectLane(store: AgentStore, lane: Lane, lines: ChildLine[]): Promise<void> {
  // `payloads` reads as the uplink does, and fails on a gap.
  const rows = await payloads(store, lane);
  const promised = lines.flatMap((line) => (line.type === 'kept' && line.lane === lane ? [line.at] : []));
  if (lane === 2) {
    expect(rows.length).toBeGreaterThanOrEqual(promised.length);
    return;
  }
  const times = rows.map(eventTime);
  expect(times).toEqual(times.toSorted((a, b) => Number(a) - Number(b)));
  const acknowledged = Math.max(
    0,
    ...lines.flatMap((line) => (line.type === 'acknowledging' && line.lane === lane ? [line.at] : [])),
  );
  const present = new Set(times);
  expect(promised.filter((at) => at > acknowledged && !present.has(at))).toEqual([]);
}
