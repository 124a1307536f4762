/** What every implementation of the agent's store promises. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentStore, type SessionOverlay, StoreError, type StoreLimits } from '../../agent/store/agent-store.js';
import type { ConfigMessage } from '../../shared/gateway-config.js';
import {
  type ImageRecord,
  type Lane,
  type OutboxEpoch,
  recordBatchSchema,
  type RecordPayload,
} from '../../shared/uplink.js';
import {
  imageEntry,
  newUid,
  NOON_MS,
  openingOf,
  outcomeCommit,
  parkingGatewayCommit,
  placeCommit,
  readCommit,
  refinementCommit,
  sessionChange,
  sightingEntry,
  stampOf,
} from '../world/agent-records.js';

export interface StoreHarness {
  /** Opens the same file each time, after it closed the store that was open. */
  open(limits?: Partial<StoreLimits>): Promise<AgentStore>;
  remove(): Promise<void>;
}

export function agentStoreConformance(name: string, createHarness: () => Promise<StoreHarness>): void {
  describe(`agent store: ${name}`, () => {
    let harness: StoreHarness;
    let store: AgentStore;
    const reopen = async (limits?: Partial<StoreLimits>) => {
      await store.close();
      store = await harness.open(limits);
      return store;
    };

    const overlay = async () => {
      await reopen();
      return store.boot.sessions.map((session: SessionOverlay) => [session.plate, session.seq]);
    };

    beforeEach(async () => {
      harness = await createHarness();
      store = await harness.open();
    });
    afterEach(async () => {
      await store.close();
      await harness.remove();
    });

    describe('outbox', () => {
      it('numbers each lane from 1 and gives rows back as they are sent', async () => {
        const read = readCommit();
        expect(await store.recordRead(read)).toBe(1);
        expect(await store.append(sightingEntry(1))).toBe(1);
        expect(await store.append(sightingEntry(2))).toBe(2);
        const { uid, mono_ms, wall_ms, clock_ok } = read;
        const stamp = { uid, mono_ms, wall_ms, clock_ok };
        expect(await store.outboxRows(0, 0)).toEqual([
          { seq: 1, ...stamp, boot_id: store.boot.boot_id, payload: read.record },
        ]);
        expect((await store.outboxRows(1, 1)).map((row) => row.seq)).toEqual([2]);
        expect(await store.outboxRows(1, 2)).toEqual([]);
        expect(await store.outboxBatch(1, 2)).toBeNull();
      });

      it('keeps what it resolved, in order, over a restart', async () => {
        await Promise.all(Array.from({ length: 250 }, (_, index) => store.append(sightingEntry(index))));
        const before = await store.outboxState();
        await reopen();
        expect(await store.outboxState()).toEqual(before);
        expect(await eventTimes(store, 1)).toEqual(Array.from({ length: 250 }, (_, index) => index));
        expect(await store.append(sightingEntry())).toBe(251);
      });

      it('makes batches the cloud understands: at most 100 records and about 64 KiB', async () => {
        await Promise.all(Array.from({ length: 150 }, (_, index) => store.append(sightingEntry(index))));
        const first = await store.outboxBatch(1, 0);
        const { records, ...head } = recordBatchSchema.parse(JSON.parse(first?.json ?? ''));
        expect(head).toEqual({ epoch: (await store.outboxState()).epoch, lane: 1 });
        expect(records.map((record) => record.seq)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
        expect(first).toMatchObject({ ...head, first_seq: 1, last_seq: 100 });

        const jpeg = new Uint8Array(30_000);
        await Promise.all([1, 2, 3].map(() => store.appendImage(imageEntry(jpeg))));
        const pictures = await store.outboxBatch(2, 0);
        expect(pictures).toMatchObject({ first_seq: 1, last_seq: 1 });
        expect(pictures?.json.length).toBeGreaterThan(40_000);
      });

      it('sends a picture of any size as base64, alone when it is large', async () => {
        const jpeg = Uint8Array.from({ length: 300_001 }, (_, index) => (index * 7) % 256);
        const window = new Uint8Array(400_000).fill(9);
        window.set(jpeg, 50);
        const image = imageEntry(window.subarray(50, 50 + jpeg.length));
        await Promise.all([store.appendImage(image), store.appendImage(imageEntry(Uint8Array.of(1, 2)))]);
        const [row, ...others] = await store.outboxRows(2, 0);
        expect(others).toEqual([]);
        const payload = row?.payload as ImageRecord;
        expect(payload).toMatchObject({ kind: 'image', owner_uid: image.owner_uid, role: 'full', mime: 'image/jpeg' });
        expect(Buffer.from(payload.data, 'base64').equals(jpeg)).toBe(true);
        expect(window[50]).toBe(jpeg[0]);
        expect((await store.outboxRows(2, 1)).map((each) => (each.payload as ImageRecord).data)).toEqual(['AQI=']);
      });

      it('keeps text of every script', async () => {
        const read = readCommit({ reading: { raw_plate: 'ЖЗ "1"\\ \u2028 \ud83d\ude97' } });
        await store.recordRead(read);
        await reopen();
        expect((await store.outboxRows(0, 0))[0]?.payload).toEqual(read.record);
      });

      it('says what waits in each lane: the oldest records with their plates, without pictures, and how many were lost', async () => {
        const read = readCommit();
        await store.recordRead(read);
        await Promise.all([1, 2, 3].map((at) => store.append(sightingEntry(at))));
        await store.appendImage(imageEntry(Uint8Array.of(1, 2)));
        const [decisions, changes, pictures] = await store.waiting(2);
        const { mono_ms, wall_ms, clock_ok } = read;
        const { plate } = read.record.reading;
        const boot_id = store.boot.boot_id;
        expect(decisions).toEqual({
          lane: 0,
          oldest: [
            { seq: 1, kind: 'plate_read', boot_id, mono_ms, wall_ms, clock_ok, plate, bytes: expect.any(Number) },
          ],
          lost_rows: 0,
        });
        expect(changes?.oldest.map(({ seq, kind, plate: none }) => [seq, kind, none])).toEqual([
          [1, 'sighting', null],
          [2, 'sighting', null],
        ]);
        expect(pictures?.oldest).toMatchObject([{ seq: 1, kind: 'image', boot_id, plate: null }]);

        await reopen({ outboxRowsMax: 4 });
        await Promise.all([4, 5].map((at) => store.append(sightingEntry(at))));
        const bounded = await store.waiting(10);
        expect(bounded.map(({ lane, lost_rows }) => [lane, lost_rows > 0])).toEqual([
          [0, false],
          [1, true],
          [2, true],
        ]);
        expect(bounded[0]?.oldest.map(({ kind }) => kind)).toEqual(['plate_read', 'lost', 'lost']);
        // Rows of an earlier start are told apart from those of this one.
        expect(bounded[0]?.oldest[0]?.boot_id).toBe(boot_id);
        expect(store.boot.boot_id).not.toBe(boot_id);
      });

      it('deletes what is acknowledged, cumulatively, and nothing of another outbox epoch or of the future', async () => {
        await Promise.all([1, 2, 3, 4].map((at) => store.append(sightingEntry(at))));
        const { epoch } = await store.outboxState();
        await store.acknowledge({ epoch: 'f'.repeat(32) as OutboxEpoch, lane: 1, seq: 4 });
        expect(await laneState(store, 1)).toMatchObject({ first_seq: 1, last_seq: 4, rows: 4 });
        await store.acknowledge({ epoch, lane: 1, seq: 3 });
        await store.acknowledge({ epoch, lane: 1, seq: 2 });
        expect(await laneState(store, 1)).toMatchObject({ first_seq: 4, last_seq: 4, rows: 1 });
        await store.acknowledge({ epoch, lane: 1, seq: 99 });
        expect(await laneState(store, 1)).toEqual({ lane: 1, first_seq: 5, last_seq: 4, rows: 0, bytes: 0 });
        await reopen();
        expect(await laneState(store, 1)).toMatchObject({ first_seq: 5, last_seq: 4 });
        expect(await store.append(sightingEntry())).toBe(5);
      });

      it('refuses calls after it was closed, and closing twice is no error', async () => {
        const appended = store.append(sightingEntry());
        await Promise.all([store.close(), store.close()]);
        expect(await appended).toBe(1);
        await expect(store.append(sightingEntry())).rejects.toMatchObject({ code: 'closed' });
      });
    });

    describe('a call that fails', () => {
      it('fails alone among those committed with it, and leaves nothing', async () => {
        const good = readCommit({ record: { opening: openingOf('00000001') } });
        // The same reading begins an opening twice: the second call is wrong.
        const bad = { ...good, sessions: [sessionChange('BAD1')] };
        const results = await Promise.allSettled([
          store.append(sightingEntry(1)),
          store.recordRead(good),
          store.recordRead(bad),
          store.append(sightingEntry(2)),
          store.recordRead(readCommit()),
        ]);
        expect(results.map((result) => result.status)).toEqual([
          'fulfilled',
          'fulfilled',
          'rejected',
          'fulfilled',
          'fulfilled',
        ]);
        expect(results.map((result) => (result.status === 'fulfilled' ? result.value : null))).toEqual([
          1,
          1,
          null,
          2,
          2,
        ]);
        await reopen();
        expect(await laneState(store, 0)).toMatchObject({ rows: 2, last_seq: 2 });
        expect(store.boot.sessions).toEqual([]);
        expect(store.boot.recent_reads).toHaveLength(2);
      });
    });

    describe('epochs', () => {
      it('are random and survive a restart', async () => {
        const { epoch } = await store.outboxState();
        expect(epoch).toMatch(/^[0-9a-f]{32}$/);
        await reopen();
        expect((await store.outboxState()).epoch).toBe(epoch);
      });

      it('number anew from 1 what waits, in its order', async () => {
        await Promise.all([1, 2, 3, 4].map((at) => store.append(sightingEntry(at))));
        const old = await store.outboxState();
        await store.acknowledge({ epoch: old.epoch, lane: 1, seq: 2 });
        const fresh = await store.startOutboxEpoch();
        expect(fresh.epoch).not.toBe(old.epoch);
        expect(fresh.lanes[0]).toMatchObject({ first_seq: 1, last_seq: 0, rows: 0 });
        expect(fresh.lanes[1]).toMatchObject({ first_seq: 1, last_seq: 2, rows: 2 });
        const { acknowledged_seq: _, ...state } = fresh;
        expect(await store.outboxState()).toEqual(state);
        expect(await eventTimes(store, 1)).toEqual([3, 4]);
        await store.acknowledge({ epoch: old.epoch, lane: 1, seq: 4 });
        await reopen();
        expect(await eventTimes(store, 1)).toEqual([3, 4]);
        expect(await store.append(sightingEntry(5))).toBe(3);
      });
    });

    describe('what the cloud acknowledged', () => {
      /** Acknowledges a lane up to a seq of the present outbox epoch. */
      const acknowledge = async (lane: Lane, seq: number) =>
        store.acknowledge({ epoch: (await store.outboxState()).epoch, lane, seq });
      const append = (...times: number[]) => Promise.all(times.map((at) => store.append(sightingEntry(at))));

      it('waits again for a cloud that lacks it, in its order before the rest, and counts as before', async () => {
        await append(1, 2, 3, 4, 5);
        const before = await laneState(store, 1);
        await acknowledge(1, 3);
        await acknowledge(1, 4);
        await reopen();
        expect(await eventTimes(store, 1)).toEqual([5]);
        const started = await store.startOutboxEpoch([{ lane: 1, seq: 2 }]);
        expect(started.lanes[1]).toMatchObject({ first_seq: 1, last_seq: 3, rows: 3 });
        expect(await eventTimes(store, 1)).toEqual([3, 4, 5]);
        await store.startOutboxEpoch([{ lane: 1, seq: 0 }]);
        expect(await eventTimes(store, 1)).toEqual([1, 2, 3, 4, 5]);
        expect(await laneState(store, 1)).toEqual(before);
        await reopen();
        expect(await eventTimes(store, 1)).toEqual([1, 2, 3, 4, 5]);
        await append(6);
        await acknowledge(1, 6);
        expect(await laneState(store, 1)).toMatchObject({ rows: 0, bytes: 0 });
      });

      it('waits no more when a new outbox epoch does not ask for it', async () => {
        await append(1, 2, 3);
        await acknowledge(1, 2);
        await store.startOutboxEpoch();
        expect(await eventTimes(store, 1)).toEqual([3]);
        await store.startOutboxEpoch([{ lane: 1, seq: 1 }]);
        expect(await eventTimes(store, 1)).toEqual([3]);
        await store.startOutboxEpoch([
          { lane: 0, seq: 7 },
          { lane: 1, seq: 0 },
        ]);
        expect(await eventTimes(store, 1)).toEqual([1, 2, 3]);
      });

      it('takes the sessions of its records along', async () => {
        await recordThreeSessions(store);
        await acknowledge(0, 2);
        expect((await store.startOutboxEpoch([{ lane: 0, seq: 1 }])).acknowledged_seq).toBe(1);
        expect(await overlay()).toEqual([
          ['A1', 0],
          ['B2', 1],
          ['C3', 2],
        ]);
      });

      it('is kept within its bound, pictures for the shortest time', async () => {
        await reopen({ keptBytesMax: 100_000 });
        await append(1, 2);
        for (let at = 0; at < 4; at++) await store.appendImage(imageEntry(new Uint8Array(40_000)));
        await acknowledge(1, 2);
        await acknowledge(2, 4);
        const { lanes } = await store.startOutboxEpoch([1, 2].map((lane) => ({ lane: lane as Lane, seq: 0 })));
        expect(lanes.map(({ rows }) => rows)).toEqual([0, 2, expect.any(Number)]);
        expect(lanes[2]?.rows).toBeLessThanOrEqual(2);
      });

      it('gives way before anything that waits', async () => {
        await reopen({ outboxRowsMax: 6 });
        await append(1, 2, 3);
        await acknowledge(1, 3);
        await append(4, 5, 6, 7, 8, 9);
        expect(await losses(store)).toEqual([]);
        expect(await eventTimes(store, 1)).toEqual([4, 5, 6, 7, 8, 9]);
        await store.startOutboxEpoch([{ lane: 1, seq: 0 }]);
        expect(await eventTimes(store, 1)).toEqual([4, 5, 6, 7, 8, 9]);
      });
    });

    describe('what decisions depend on', () => {
      it('gives a new boot id per start', async () => {
        const before = store.boot.boot_id;
        await reopen();
        expect(store.boot.boot_id).not.toBe(before);
      });

      it('keeps an opening under way until its outcome is recorded', async () => {
        const first = readCommit({ record: { opening: openingOf('0000000a', 7) } });
        const second = readCommit({ record: { opening: openingOf('0000000b', 8) } });
        await Promise.all([store.recordRead(first), store.recordRead(second)]);
        await store.recordOutcome(outcomeCommit(first));
        await reopen();
        expect(store.boot.intents).toEqual([{ reading_uid: second.uid, event_id: '0000000b', product_id: 8 }]);
        expect((await payloads(store, 0)).map((payload) => payload.kind)).toEqual([
          'plate_read',
          'plate_read',
          'opening_result',
        ]);
      });

      it('remembers recent reads: the newest of each camera, for a day', async () => {
        await reopen({ recentReadsPerCameraMax: 3 });
        for (const [index, camera_device_id] of ['a', 'a', 'b', 'a', 'a'].entries()) {
          const reading = { vendor_event_id: `v${index}` };
          await store.recordRead(readCommit({ camera_device_id, reading, stamp: { wall_ms: NOON_MS + index } }));
        }
        await reopen({ recentReadsPerCameraMax: 3 });
        expect(store.boot.recent_reads.map((read) => read.vendor_event_id)).toEqual(['v1', 'v2', 'v3', 'v4']);
        const later = NOON_MS + 24 * 3_600_000 + 3;
        const debounced = readCommit({
          camera_device_id: 'b',
          stamp: { wall_ms: later },
          record: { access_decision_reason: 'debounce' },
        });
        await store.recordRead(debounced);
        await reopen();
        expect(store.boot.recent_reads.map((read) => [read.vendor_event_id, read.debounced])).toEqual([
          ['v3', false],
          ['v4', false],
          [null, true],
        ]);
        expect(store.boot.recent_reads.at(-1)).toEqual({
          uid: debounced.uid,
          camera_device_id: 'b',
          vendor_event_id: null,
          plate: 'ZG1234AB',
          direction: 'in',
          event_ms: later,
          debounced: true,
          allowed: null,
          states: ['in 0.9 ZG1234AB'],
        });
      });

      it('keeps a refinement with the read as it is now, its sessions and its opening', async () => {
        const [first, second] = [readCommit(), readCommit()];
        await Promise.all([store.recordRead(first), store.recordRead(second)]);
        const notified = refinementCommit(first, { confidence: 0.5 });
        expect(await store.recordRefinement(notified)).toBe(1);
        const session = sessionChange('ZG1234AC');
        const decided = refinementCommit(second, {
          plate: 'ZG1234AC',
          opening: openingOf('0000000c', 9),
          sessions: [session],
        });
        expect(await store.recordRefinement(decided)).toBe(3);
        await reopen();
        expect(store.boot.recent_reads).toEqual([notified.read, decided.read]);
        expect(store.boot.sessions).toEqual([{ ...session, seq: 3 }]);
        expect(store.boot.intents).toEqual([{ reading_uid: second.uid, event_id: '0000000c', product_id: 9 }]);
        expect(await payloads(store, 1)).toEqual([notified.record]);
        expect((await payloads(store, 0)).at(-1)).toEqual(decided.record);
      });

      it('forgets no read for its age while the time is not known', async () => {
        const at1970 = { wall_ms: 5, clock_ok: false };
        await store.recordRead(readCommit({ reading: { vendor_event_id: 'unknown time' }, stamp: at1970 }));
        await store.recordRead(readCommit({ reading: { vendor_event_id: 'known time' } }));
        const farFuture = { wall_ms: NOON_MS * 2, clock_ok: false };
        await store.recordRead(readCommit({ reading: { vendor_event_id: 'wrong time' }, stamp: farFuture }));
        await reopen();
        const kept = store.boot.recent_reads.map((read) => read.vendor_event_id);
        expect(kept).toEqual(['unknown time', 'known time', 'wrong time']);
      });

      it('keeps the errors of cameras’ clocks, until they are forgotten or their cameras are gone', async () => {
        const clock = { behind_ms: -7_200_000, confirmed_ms: NOON_MS };
        await store.applyConfig(configOf({ section: 'cameras', revision: 'c1', upsert: { b: { n: 1 }, c: { n: 2 } } }));
        for (const device_id of ['c', 'b', 'a']) await store.saveCameraClock(device_id, { ...clock, behind_ms: 5 });
        await store.saveCameraClock('c', clock);
        await store.saveCameraClock('a', null);
        await reopen();
        expect(store.boot.camera_clocks).toEqual([
          { device_id: 'b', ...clock, behind_ms: 5 },
          { device_id: 'c', ...clock },
        ]);
        await store.applyConfig(configOf({ section: 'cameras', base: 'c1', revision: 'c2', remove: ['c'] }));
        await reopen();
        expect(store.boot.camera_clocks).toEqual([{ device_id: 'b', ...clock, behind_ms: 5 }]);
      });

      it('keeps the time that was confirmed last, also an earlier one', async () => {
        expect(store.boot.confirmed_ms).toBe(0);
        for (const wall_ms of [2_000, 3_000, 1_000]) await store.saveConfirmedTime(wall_ms);
        await reopen();
        expect(store.boot.confirmed_ms).toBe(1_000);
      });

      it('raises the clock floor and never lowers it', async () => {
        expect(store.boot.clock_floor_ms).toBe(0);
        await store.saveClockFloor(2_000);
        await store.saveClockFloor(1_000);
        await reopen();
        expect(store.boot.clock_floor_ms).toBe(2_000);
      });
    });

    describe('configuration', () => {
      it('boots from snapshots and the deltas on them', async () => {
        await store.applyConfig(configOf({ revision: 'r1', upsert: { A1: { n: 1 }, B2: { n: 2 } } }));
        await store.applyConfig(configOf({ section: 'zones', revision: 'z1', upsert: { '1': { id: 1 } } }));
        await store.applyConfig(configOf({ base: 'r1', revision: 'r2', upsert: { C3: { n: 3 } }, remove: ['A1'] }));
        await reopen();
        const sorted = store.boot.config.toSorted((a, b) => a.section.localeCompare(b.section));
        expect(sorted).toEqual([
          { section: 'plates', revision: 'r2', items: { B2: { n: 2 }, C3: { n: 3 } } },
          { section: 'zones', revision: 'z1', items: { '1': { id: 1 } } },
        ]);
        await store.applyConfig(configOf({ revision: 'r3', upsert: {} }));
        await reopen();
        expect(store.boot.config.find((each) => each.section === 'plates')).toEqual({
          section: 'plates',
          revision: 'r3',
          items: {},
        });
      });

      it('keeps what it has when a change is of another revision', async () => {
        await store.applyConfig(configOf({ revision: 'r1', upsert: { A1: { n: 1 } } }));
        await recordThreeSessions(store);
        const { epoch } = await store.outboxState();
        const lost = configOf({ base: 'r2', revision: 'r3', upsert: { C3: { n: 3 } } });
        await expect(store.applyConfig(lost)).rejects.toThrow('section plates is stored as r1: a change of r2');
        const sessions = { ...lost, section: 'sessions' as const, applied: { epoch, seq: 3 } };
        await expect(store.applyConfig(sessions)).rejects.toThrow('section sessions is stored as nothing');
        expect(await overlay()).toHaveLength(3);
        expect(store.boot.config).toEqual([{ section: 'plates', revision: 'r1', items: { A1: { n: 1 } } }]);
      });

      it('accepts keys that are names of Object.prototype', async () => {
        const upsert = JSON.parse('{"__proto__":{"n":1},"constructor":{"n":2}}') as Record<string, unknown>;
        await store.applyConfig(configOf({ revision: 'r1', upsert }));
        await reopen();
        expect(Object.entries(store.boot.config[0]?.items ?? {}).toSorted()).toEqual(Object.entries(upsert).toSorted());
      });
    });

    describe('what was recorded of sensors', () => {
      const recordedOf = async () =>
        (await reopen()).boot.recorded.map(({ kind, id, status }) => `${kind} ${id} ${status}`);

      it('is queued in lane 1 and kept as the last word, over a restart', async () => {
        expect(await store.recordSensor(placeCommit(1, 'occupied'))).toBe(1);
        await store.recordSensor(placeCommit(2, 'occupied'));
        await store.recordSensor(placeCommit(1, 'free'));
        await store.recordSensor(parkingGatewayCommit(1, 'online'));
        expect((await payloads(store, 1)).map(({ kind }) => kind)).toEqual([
          ...Array.from({ length: 3 }, () => 'place_change'),
          'parking_gateway_status',
        ]);
        expect((await recordedOf()).toSorted()).toEqual([
          'parking_gateway_status 1 online',
          'place_change 1 free',
          'place_change 2 occupied',
        ]);
      });

      it('stays when the cloud has it, and through a new outbox epoch', async () => {
        await store.recordSensor(placeCommit(1, 'occupied'));
        const { epoch } = await store.outboxState();
        await store.acknowledge({ epoch, lane: 1, seq: 1 });
        await store.startOutboxEpoch();
        expect(await recordedOf()).toEqual(['place_change 1 occupied']);
      });

      it('is kept with its record or not at all', async () => {
        await reopen({ outboxRowsMax: 1 });
        await store.recordRead(readCommit());
        await expect(store.recordSensor(placeCommit(1, 'occupied'))).rejects.toMatchObject({ code: 'full' });
        expect(await recordedOf()).toEqual([]);
      });

      it('is forgotten for what the configuration does not name any more', async () => {
        await Promise.all([1, 2, 3].map((id) => store.recordSensor(placeCommit(id, 'occupied'))));
        await Promise.all([7, 8].map((id) => store.recordSensor(parkingGatewayCommit(id, 'online'))));
        const named = (id: number, places: number[]) => ({
          [id]: { id, places: places.map((place) => ({ id: place })) },
        });
        const upsert = { ...named(7, [1, 2]), ...named(8, [3]) };
        await store.applyConfig(configOf({ section: 'sensors', revision: 's1', upsert }));
        expect(await recordedOf()).toHaveLength(5);
        const delta = { base: 's1', revision: 's2', upsert: named(7, [2]), remove: ['8'] };
        await store.applyConfig(configOf({ section: 'sensors', ...delta }));
        await store.applyConfig(configOf({ section: 'zones', upsert: { '1': { id: 1 } } }));
        expect((await recordedOf()).toSorted()).toEqual(['parking_gateway_status 7 online', 'place_change 2 occupied']);
      });
    });

    describe('session overlay', () => {
      it('holds a session with the seq of the record that changed it last', async () => {
        await recordThreeSessions(store);
        const begun = store.boot.sessions;
        expect(begun).toEqual([]);
        const [a1] = (await reopen()).boot.sessions;
        expect(a1).toMatchObject({ plate: 'A1', zone_id: 1, began_ms: NOON_MS, ended_ms: null, seq: 1 });
        const ended = sessionChange('A1', { uid: a1?.uid ?? newUid(), ended_ms: NOON_MS + 5 });
        await store.recordRead(readCommit({ sessions: [ended] }));
        expect(await overlay()).toEqual([
          ['B2', 2],
          ['C3', 3],
          ['A1', 4],
        ]);
        expect(store.boot.sessions.at(-1)).toMatchObject({ ended_ms: NOON_MS + 5 });
      });

      it('drops what the cloud says its section contains, and only that', async () => {
        await recordThreeSessions(store);
        const { epoch } = await store.outboxState();
        await store.acknowledge({ epoch, lane: 0, seq: 3 });
        await applySessions(store, null);
        await applySessions(store, { epoch: 'e'.repeat(32) as OutboxEpoch, seq: 9 });
        await store.applyConfig(configOf({ section: 'plates', revision: 'p', applied: { epoch, seq: 3 } }));
        expect(await overlay()).toHaveLength(3);
        await applySessions(store, { epoch, seq: 2 });
        expect(await overlay()).toEqual([['C3', 3]]);
      });

      it('returns what was acknowledged in the same step as it begins the outbox epoch', async () => {
        await recordThreeSessions(store);
        const { epoch } = await store.outboxState();
        const acknowledged = store.acknowledge({ epoch, lane: 0, seq: 2 });
        const { lanes, acknowledged_seq } = await store.startOutboxEpoch();
        await acknowledged;
        expect(acknowledged_seq).toBe(3 - (lanes[0]?.rows ?? 0));
      });

      it('follows its records into a new outbox epoch; what was acknowledged before is covered by any answer of the new one', async () => {
        await recordThreeSessions(store);
        const old = await store.outboxState();
        await store.acknowledge({ epoch: old.epoch, lane: 0, seq: 1 });
        const fresh = await store.startOutboxEpoch();
        expect(fresh.acknowledged_seq).toBe(1);
        expect(await overlay()).toEqual([
          ['A1', 0],
          ['B2', 1],
          ['C3', 2],
        ]);
        await applySessions(store, { epoch: old.epoch, seq: 3 });
        expect(await overlay()).toHaveLength(3);
        await applySessions(store, { epoch: fresh.epoch, seq: 0 });
        expect(await overlay()).toEqual([
          ['B2', 1],
          ['C3', 2],
        ]);
        await applySessions(store, { epoch: fresh.epoch, seq: 1 });
        expect(await overlay()).toEqual([['C3', 2]]);
      });
    });

    describe('bounds', () => {
      it('gives up the oldest of lane 2, then of lane 1, and reports it in lane 0 as one growing record', async () => {
        await reopen({ outboxRowsMax: 6 });
        for (let at = 1; at <= 3; at++) await store.append(sightingEntry(at));
        for (let at = 1; at <= 3; at++) await store.appendImage(imageEntry(Uint8Array.of(at)));
        await store.appendImage(imageEntry(Uint8Array.of(4)));
        // The `lost` record needs a row itself: two images made room for one.
        expect(await losses(store)).toEqual([{ lane: 2, from: 1, to: 2 }]);
        expect(await laneState(store, 2)).toMatchObject({ first_seq: 3, last_seq: 4 });
        // That record was read, so it may already be sent: another record reports the next loss.
        for (let at = 4; at <= 6; at++) await store.append(sightingEntry(at));
        expect(await losses(store)).toEqual([
          { lane: 2, from: 1, to: 2 },
          { lane: 2, from: 3, to: 4 },
          { lane: 1, from: 1, to: expect.any(Number) },
        ]);
        const rows = (await store.outboxState()).lanes.reduce((sum, lane) => sum + lane.rows, 0);
        expect(rows).toBeLessThanOrEqual(6);
        expect((await eventTimes(store, 1)).at(-1)).toBe(6);
      });

      it('coalesces losses that nobody has read yet', async () => {
        await reopen({ outboxRowsMax: 4 });
        for (let at = 1; at <= 20; at++) await store.append(sightingEntry(at));
        expect(await losses(store)).toEqual([{ lane: 1, from: 1, to: 17 }]);
        expect(await eventTimes(store, 1)).toEqual([18, 19, 20]);
      });

      it('counts bytes too', async () => {
        await reopen({ outboxBytesMax: 100_000 });
        for (let at = 0; at < 5; at++) await store.appendImage(imageEntry(new Uint8Array(40_000)));
        const { lanes } = await store.outboxState();
        expect(lanes[2]).toMatchObject({ first_seq: 4, rows: 2 });
        expect(lanes.reduce((sum, lane) => sum + lane.bytes, 0)).toBeLessThanOrEqual(100_000);
        expect(await losses(store)).toEqual([{ lane: 2, from: 1, to: 3 }]);
      });

      it('never gives up lane 0: at its bound the call is refused, and works again when rows are acknowledged', async () => {
        await reopen({ outboxRowsMax: 3 });
        for (let at = 1; at <= 3; at++) await store.recordRead(readCommit());
        const refused = store.recordRead(readCommit({ sessions: [sessionChange('NO1')] }));
        await expect(refused).rejects.toBeInstanceOf(StoreError);
        await expect(refused).rejects.toMatchObject({ code: 'full' });
        await expect(store.append(sightingEntry())).rejects.toMatchObject({ code: 'full' });
        await reopen({ outboxRowsMax: 3 });
        expect(await laneState(store, 0)).toMatchObject({ first_seq: 1, last_seq: 3 });
        expect(store.boot.sessions).toEqual([]);
        const { epoch } = await store.outboxState();
        await store.acknowledge({ epoch, lane: 0, seq: 1 });
        expect(await store.recordRead(readCommit())).toBe(4);
      });
    });

    it('stays right through a long random life', async () => {
      const model: { at: number }[] = [];
      let acknowledged = 0;
      let next = 0;
      for (let round = 0; round < 30; round++) {
        const added = Array.from({ length: (round * 7) % 11 }, () => ({ at: next++ }));
        await Promise.all(added.map(({ at }) => store.append({ ...sightingEntry(at), ...stampOf() })));
        model.push(...added);
        if (round % 3 === 1) {
          const { epoch, lanes } = await store.outboxState();
          const upTo = (lanes[1]?.first_seq ?? 1) + 4;
          await store.acknowledge({ epoch, lane: 1, seq: upTo });
          acknowledged = Math.min(model.length, acknowledged + 5);
        }
        if (round % 8 === 5) await store.startOutboxEpoch();
        if (round % 10 === 9) await reopen();
        expect(await eventTimes(store, 1)).toEqual(model.slice(acknowledged).map(({ at }) => at));
      }
    });
  });
}

/** Sessions A1, B2 and C3, carried by records 1, 2 and 3. */
async function recordThreeSessions(store: AgentStore): Promise<void> {
  for (const plate of ['A1', 'B2', 'C3']) await store.recordRead(readCommit({ sessions: [sessionChange(plate)] }));
}

function applySessions(store: AgentStore, applied: ConfigMessage['applied']): Promise<void> {
  return store.applyConfig(configOf({ section: 'sessions', revision: 's', applied }));
}

async function laneState(store: AgentStore, lane: Lane) {
  const { lanes } = await store.outboxState();
  return lanes.find((each) => each.lane === lane);
}

/** Reads everything that waits in a lane, as the uplink does; fails on a gap. */
export async function payloads(store: AgentStore, lane: Lane): Promise<RecordPayload[]> {
  const all: RecordPayload[] = [];
  let after = ((await laneState(store, lane))?.first_seq ?? 1) - 1;
  for (;;) {
    const rows = await store.outboxRows(lane, after);
    if (rows.length === 0) return all;
    for (const row of rows) {
      expect(row.seq).toBe(after + 1);
      after = row.seq;
      all.push(row.payload);
    }
  }
}

export async function eventTimes(store: AgentStore, lane: Lane): Promise<number[]> {
  return (await payloads(store, lane)).map((payload) => (payload.kind === 'sighting' ? payload.event_ms : -1));
}

export async function losses(store: AgentStore): Promise<{ lane: Lane; from: number; to: number }[]> {
  const found = (await payloads(store, 0)).filter((payload) => payload.kind === 'lost');
  return found.map(({ lane, from, to }) => ({ lane, from, to }));
}

function configOf(message: Partial<ConfigMessage>): ConfigMessage {
  return { section: 'plates', base: null, revision: 'r', upsert: {}, remove: [], applied: null, ...message };
}
