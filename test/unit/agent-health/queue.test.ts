import { describe, expect, it } from 'vitest';
import { type QueueSources, readQueue } from '../../../agent/health/queue.js';
import { renderQueue } from '../../../agent/health/render-queue.js';
import { StoreError } from '../../../agent/store/agent-store.js';
import { openMemoryAgentStore } from '../../../scripts/fleet/memory-agent-store.js';
import { createMemoryDisk } from '../../../scripts/fleet/memory-disk.js';
import { imageEntry, readCommit, sightingEntry } from '../../world/agent-records.js';
import { FakeClock } from '../../world/fake-clock.js';

const CLOUD = { url: 'https://cloud.example', connected: false, since: '2026-01-15T11:00:00.000Z' };
const ALL_HIDDEN = { listed: 0, plates: false };

async function createQueueWorld() {
  const clock = new FakeClock();
  const disk = createMemoryDisk();
  const open = () => openMemoryAgentStore({ disk, limits: { outboxRowsMax: 5 } });
  const store = await open();
  const sources: QueueSources = {
    store,
    cloud: CLOUD,
    acknowledgedMonoMs: null,
    clock,
    knownTimeMs: clock.now(),
  };
  const now = () => ({ mono_ms: clock.monotonic(), wall_ms: clock.now() });
  return { clock, disk, open, store, sources, now };
}

describe('the queue', () => {
  it('says what waits in each lane, since when, and what was lost', async () => {
    const { clock, store, sources, now } = await createQueueWorld();
    await store.recordRead({ ...readCommit({ reading: { plate: 'ZG777BB' } }), ...now() });
    await clock.advance(150_000);
    await store.appendImage({ ...imageEntry(Uint8Array.of(1, 2)), ...now() });
    for (let index = 0; index < 4; index++) await store.append({ ...sightingEntry(index), ...now() });
    await clock.advance(30_000);
    const view = await readQueue({ ...sources, acknowledgedMonoMs: clock.monotonic() - 4_000 }, ALL_HIDDEN);
    expect(view).toEqual({
      cloud: CLOUD,
      acknowledged_ago_s: 4,
      fault: null,
      lanes: [
        {
          lane: 0,
          rows: 3,
          bytes: expect.any(Number),
          oldest_age_s: 180,
          lost_rows: 0,
          kinds: { plate_read: 1, lost: 2 },
          counted: 3,
        },
        {
          lane: 1,
          rows: 2,
          bytes: expect.any(Number),
          oldest_age_s: 30,
          lost_rows: 2,
          kinds: { sighting: 2 },
          counted: 2,
        },
        { lane: 2, rows: 0, bytes: 0, oldest_age_s: null, lost_rows: 1, kinds: {}, counted: 0 },
      ].map((lane) => expect.objectContaining(lane)),
    });
    const text = renderQueue(view).join('\n');
    expect(text).toMatch(/^cloud {5}https:\/\/cloud.example {2}NOT CONNECTED since .*\ntaken {5}4 s ago\n\nlane /);
    expect(text).toMatch(/^decisions +3 +\S+ MB +3 min +- +1 plate_read, 2 lost$/m);
    expect(text).toMatch(/^pictures +0 +\S+ MB +- +1: THE DISK IS FULL +-$/m);
  });

  it('lists records, and their plates to whoever asks for them', async () => {
    const { clock, store, sources, now } = await createQueueWorld();
    await store.recordRead({ ...readCommit({ reading: { plate: 'ZG777BB' } }), ...now() });
    await store.append({ ...sightingEntry(1), ...now() });
    await store.append({ ...sightingEntry(2), ...now() });
    await clock.advance(10_000);
    const hidden = await readQueue(sources, { listed: 1, plates: false });
    expect(JSON.stringify(hidden) + renderQueue(hidden).join('\n')).not.toContain('ZG777BB');
    expect(hidden.records).toMatchObject([
      { lane: 0, seq: 1, kind: 'plate_read', age_s: 10, plate: null },
      { lane: 1, seq: 1, kind: 'sighting', age_s: 10, plate: null },
    ]);
    const shown = await readQueue(sources, { listed: 1, plates: true });
    expect(shown.records?.map(({ plate }) => plate)).toEqual(['ZG777BB', null]);
    expect(renderQueue(shown).join('\n')).toMatch(/^decisions +1 +plate_read +2026\S+ +10 s +\d+ B +ZG777BB$/m);
  });

  it('counts no age of an earlier start by a clock that is not known to be right', async () => {
    const { clock, open, store, sources, now } = await createQueueWorld();
    await store.recordRead({ ...readCommit(), ...now() });
    await store.close();
    const later = { ...sources, store: await open() };
    await clock.advance(60_000);
    const oldest = async (knownTimeMs: number | null) =>
      (await readQueue({ ...later, knownTimeMs }, ALL_HIDDEN)).lanes[0]?.oldest_age_s;
    expect(await oldest(clock.now())).toBe(60);
    expect(await oldest(null)).toBeNull();
  });

  it('is there when the store is broken', async () => {
    const { disk, sources } = await createQueueWorld();
    disk.refuseWith = new StoreError('io', 'the disk is gone');
    const view = await readQueue(sources, { listed: 3, plates: false });
    expect(view).toMatchObject({ fault: 'the store does not answer', lanes: [], records: [] });
    expect(renderQueue(view)).toContain('queue     unknown: the store does not answer');
  });
});
