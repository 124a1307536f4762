import { describe, expect, it } from 'vitest';
import type { CameraRead } from '../../../agent/lpr/camera.js';
import { recordPayloadSchema } from '../../../shared/uplink.js';
import { settle } from '../../world/fake-clock.js';
import { BARRIER, camera, GATE, JAMMED, plateWorld, SUCCEEDED, uidOf, ZONE_ID } from './plate-world.js';

const LINK_FAILURE = { outcome: 'failed', type: 4, authenticated: false } as const;
const MINUTE = 60_000;

describe('a plate read', () => {
  it('opens at once, and keeps reading, decision, session and intent in one transaction', async () => {
    const world = plateWorld();
    world.store.hold();
    const handled = world.reads.handle('cam-in', world.read('zg-1234 ab', { country_code: 'HR' }));
    expect(world.commander.commands).toMatchObject([
      { device_id: BARRIER, command: { name: 'open' }, deadline_mono_ms: 30_000 },
    ]);
    expect(world.store.calls).toEqual(['open', 'recordRead']);
    world.store.release();
    expect(await handled).toBe('stored');
    await settle();
    const [commit] = world.store.reads;
    expect(recordPayloadSchema.safeParse(commit?.record).error).toBeUndefined();
    expect(commit?.record).toMatchObject({
      reading: {
        plate: 'ZG-1234 AB',
        raw_plate: 'zg-1234 ab',
        direction: 'in',
        event_ms: world.clock.now(),
        lpr_camera_id: 11,
      },
      access_decision: 'triggered',
      access_decision_reason: 'tariff',
      session: { effect: 'begin', ended_session_uid: null },
      lot_entry: { is_allowed: true },
      opening: { product_id: 21, event_id: world.commander.commands[0]?.event_id },
    });
    expect(commit?.sessions).toEqual([
      { uid: expect.any(String), plate: 'ZG1234AB', zone_id: ZONE_ID, began_ms: world.clock.now(), ended_ms: null },
    ]);
    expect(world.store.outcomes).toMatchObject([
      { record: { reading_uid: commit?.uid, outcome: 'succeeded', gateway_error_type: null, product_id: 21 } },
    ]);
    expect(world.committed).toEqual([0, 0]);
  });

  it('is under way until it is kept: a store that hangs is seen by it', async () => {
    const world = plateWorld();
    await world.clock.advance(MINUTE);
    world.store.hold();
    const handled = world.reads.handle('cam-in', world.read('ZG1234AB'));
    await world.clock.advance(2 * MINUTE);
    expect(world.reads.sinceMs()).toEqual([MINUTE]);
    world.store.release();
    await handled;
    expect(world.reads.sinceMs()).toEqual([]);
  });

  it('waits for no disk between the decision and the command', () => {
    const world = plateWorld();
    void world.reads.handle('cam-in', world.read('ZG1'));
    expect(world.store.calls).toEqual(['open', 'recordRead']);
  });

  it('ends the session at the exit and opens there', async () => {
    const world = plateWorld();
    await world.reads.handle('cam-in', world.read('ZG1234AB'));
    const begun = world.store.reads[0]?.sessions[0];
    await world.clock.advance(MINUTE);
    expect(world.sessions.size).toBe(1);
    await world.reads.handle('cam-out', world.read('ZG 1234 AB'));
    expect(world.store.reads[1]).toMatchObject({
      record: {
        access_decision_reason: 'session_exit',
        session: { effect: 'end', session_uid: begun?.uid, look_alike: false },
        opening: { product_id: 22 },
      },
      sessions: [{ ...begun, ended_ms: world.clock.now() }],
    });
    expect(world.sessions.size).toBe(0);
  });

  it('ends the only look-alike, whose own plate may still leave', async () => {
    const world = plateWorld();
    await world.reads.handle('cam-in', world.read('ZG100AB'));
    await world.reads.handle('cam-out', world.read('ZGI00AB'));
    await world.reads.handle('cam-out', world.read('ZG100AB'));
    await world.reads.handle('cam-out', world.read('ST55'));
    expect(world.store.reads.slice(1).map(({ record }) => [record.access_decision_reason, record.session])).toEqual([
      ['session_exit', { effect: 'end', session_uid: expect.any(String), look_alike: true }],
      ['session_exit', null],
      ['no_active_session', null],
    ]);
  });

  it('keeps a session for 5 minutes, then ends it and begins another', async () => {
    const world = plateWorld();
    await world.reads.handle('cam-in', world.read('ZG1'));
    await world.clock.advance(4 * MINUTE);
    await world.reads.handle('cam-in', world.read('ZG1'));
    await world.clock.advance(2 * MINUTE);
    await world.reads.handle('cam-in', world.read('ZG1'));
    const [first, second, third] = world.store.reads.map(({ record }) => record.session);
    expect(first).toMatchObject({ effect: 'begin' });
    const uid = first?.session_uid;
    expect(second).toEqual({ effect: 'keep', session_uid: uid });
    expect(third).toMatchObject({ effect: 'begin', ended_session_uid: uid });
    expect(world.store.reads[2]?.sessions.map(({ uid: changed, ended_ms }) => [changed, ended_ms])).toEqual([
      [uid, world.clock.now()],
      [third?.session_uid, null],
    ]);
    expect(world.sessions.size).toBe(1);
  });

  /** Reads one after the other, and what became of each. */
  async function decisions(
    world: ReturnType<typeof plateWorld>,
    ...reads: [after_s: number, camera: string, plate: string, movement: CameraRead['movement']][]
  ): Promise<(string | null)[]> {
    for (const [after_s, device_id, plate, movement] of reads) {
      await world.clock.advance(after_s * 1_000);
      await world.reads.handle(device_id, world.read(plate, { movement }));
    }
    return world.store.reads.map(({ record }) => record.access_decision_reason);
  }

  it('lets a car that turns round in again: in, out and in are three things', async () => {
    const world = plateWorld({ cameras: [camera('cam', { lpr_position: 'in/out' })] });
    const turned = decisions(
      world,
      [0, 'cam', 'ZG1', 'towards'],
      [4, 'cam', 'ZG1', 'away'],
      [4, 'cam', 'ZG1', 'towards'],
    );
    expect(await turned).toEqual(['tariff', 'session_exit', 'tariff']);
    expect(world.sessions.own('ZG1')?.began_ms).toBe(world.clock.now());
    const again = decisions(world, [4, 'cam', 'ZG1', 'towards'], [20, 'cam', 'ZG1', 'away']);
    expect((await again).slice(3)).toEqual(['debounce', 'session_exit']);
  });

  it('sees one passage where two cameras of a product know no directions, in either order, misread or not', async () => {
    const cameras = [camera('front'), camera('rear', { id: 12, lpr_position: 'out' })];
    const world = plateWorld({ cameras });
    const inside = decisions(
      world,
      [0, 'front', 'ZG1234AB', 'absent'],
      [4, 'rear', 'ZG1234AB', 'absent'],
      [4, 'rear', 'ZG1234A8', 'absent'],
    );
    expect(await inside).toEqual(['tariff', 'debounce', 'debounce']);
    expect(world.sessions.own('ZG1234AB')).not.toBeNull();
    const outside = decisions(world, [60, 'rear', 'ZG1234AB', 'absent'], [4, 'front', 'ZG1234AB', 'absent']);
    expect((await outside).slice(3)).toEqual(['session_exit', 'debounce']);
    expect(world.sessions.size).toBe(0);
    expect(['front', 'rear'].map((each) => world.states.lacksDirections(each))).toEqual([true, true]);
  });

  it('takes what a second camera misread for the vehicle that it is, and goes on opening for it', async () => {
    const world = plateWorld({ plates: { RI220AC: { zone_ids: [ZONE_ID], product_ids: [] } } });
    const seen = decisions(world, [0, 'cam-in', 'RI220AB', 'towards'], [1, 'cam-in-2', 'RI220A8', 'towards']);
    expect(await seen).toEqual(['tariff', 'debounce']);
    expect([world.sessions.size, world.commander.commands.length]).toEqual([1, 1]);
    // A member whose plate looks like it is a vehicle of its own.
    expect((await decisions(world, [1, 'cam-in-2', 'RI220AC', 'towards'])).at(-1)).toBe('whitelist');
    expect((await decisions(world, [10, 'cam-in-2', 'RI220A8', 'towards'])).at(-1)).toBe('tariff');
  });

  it('counts what is open against the zone, but not what is older than it counts', async () => {
    const world = plateWorld({
      zone: { spot_count: 1, occupancy_max_hours: 2 },
      sessions: [
        { uid: uidOf(7), plate: 'OLD1', zone_id: ZONE_ID, began_ms: Date.UTC(2026, 0, 15, 9), ended_ms: null },
      ],
    });
    await world.reads.handle('cam-in', world.read('ZG1'));
    await world.reads.handle('cam-in', world.read('ZG2'));
    await world.reads.handle('cam-out', world.read('OLD1'));
    expect(world.store.reads.map(({ record }) => record.access_decision_reason)).toEqual([
      'tariff',
      'max_capacity',
      'session_exit',
    ]);
  });

  it.each([
    ['its own, as they stand now', { 5: 2 }, 'tariff'],
    ['its own and those of another gateway', { 5: 3 }, 'max_capacity'],
    ['those of other gateways alone', {}, 'max_capacity'],
  ])('counts the sensors of the zone where it has any, and no sessions: %s', async (_, sensors, reason) => {
    const world = plateWorld({
      zone: {
        spot_count: 5,
        sensor_counts: [
          { parking_gateway_id: 5, occupied_count: 4, is_heard: true },
          { parking_gateway_id: 6, occupied_count: 2, is_heard: true },
        ],
      },
      sensors,
      sessions: Array.from({ length: 5 }, (__, index) => ({
        uid: uidOf(index),
        plate: `IN${index}`,
        zone_id: ZONE_ID,
        began_ms: Date.UTC(2026, 0, 15, 11),
        ended_ms: null,
      })),
    });
    await world.reads.handle('cam-in', world.read('ZG1'));
    expect(world.store.reads[0]?.record.access_decision_reason).toBe(reason);
  });

  it.each([
    ['none of its sensors has said anything', {}, 'max_capacity'],
    ['this gateway hears one, which the cloud does not know yet', { 5: 0 }, 'tariff'],
  ])('counts the sessions of the zone as long as %s', async (_, sensors, reason) => {
    const world = plateWorld({
      zone: { spot_count: 1, sensor_counts: [{ parking_gateway_id: 5, occupied_count: 0, is_heard: false }] },
      sensors,
      sessions: [
        { uid: uidOf(0), plate: 'IN0', zone_id: ZONE_ID, began_ms: Date.UTC(2026, 0, 15, 11), ended_ms: null },
      ],
    });
    await world.reads.handle('cam-in', world.read('ZG1'));
    expect(world.store.reads[0]?.record.access_decision_reason).toBe(reason);
  });

  it('admits whitelisted plates by zone and by product', async () => {
    const world = plateWorld({
      zone: { has_tariff: false },
      plates: {
        ZG1: { zone_ids: [ZONE_ID], product_ids: [] },
        ZG2: { zone_ids: [], product_ids: [21] },
        ZG3: { zone_ids: [ZONE_ID + 1], product_ids: [22] },
      },
    });
    for (const plate of ['ZG1', 'ZG2', 'ZG3']) await world.reads.handle('cam-in', world.read(plate));
    await world.reads.handle('cam-free', world.read('ZG2'));
    expect(world.store.reads.map(({ record }) => record.access_decision_reason)).toEqual([
      'whitelist',
      'whitelist',
      'no_tariff',
      'no_tariff',
    ]);
  });

  it('decides without a decision where the direction is not known', async () => {
    const world = plateWorld();
    await world.reads.handle('cam-in', world.read('ZG1', { movement: 'unknown' }));
    expect(world.store.reads[0]?.record).toMatchObject({
      access_decision: null,
      access_decision_reason: null,
      lot_entry: null,
      opening: null,
    });
    expect(world.commander.commands).toEqual([]);
  });

  it('opens nothing at a standalone camera', async () => {
    const world = plateWorld();
    await world.reads.handle('cam-free', world.read('ZG1'));
    expect(world.store.reads[0]?.record).toMatchObject({ access_decision: 'triggered', opening: null });
    expect(world.commander.commands).toEqual([]);
  });

  it.each([
    [true, 1, 'open', 'no_active_session'],
    [false, 1, 'open', 'session_exit'],
    [false, 0, 'open', 'no_active_session'],
    [false, 1, 'deny', 'no_active_session'],
  ])(
    'online %s, %s other gateways, offline_exit %s: %s',
    async (isOnline, other_gateways_count, offline_exit, reason) => {
      const world = plateWorld({ gateway: { other_gateways_count, offline_exit } });
      world.link.isOnline = isOnline;
      await world.reads.handle('cam-out', world.read('ZG1'));
      expect(world.store.reads[0]?.record.access_decision_reason).toBe(reason);
    },
  );

  it('knows no camera that is not configured', async () => {
    const world = plateWorld();
    expect(await world.reads.handle('cam-x', world.read('ZG1'))).toBe('unknown_camera');
  });
});

describe('repeats', () => {
  it('drops a repeat by the vendor id, also after a restart', async () => {
    const world = plateWorld({
      boot: {
        recent_reads: [
          {
            uid: uidOf(9),
            camera_device_id: 'cam-in',
            vendor_event_id: 'before',
            plate: 'ZG9',
            direction: 'in',
            event_ms: Date.UTC(2026, 0, 15, 11, 59, 55),
            debounced: false,
            allowed: true,
            states: [],
          },
        ],
      },
    });
    expect(await world.reads.handle('cam-in', world.read('ZG9', { vendor_event_id: 'before' }))).toBe('duplicate');
    const read = world.read('ZG1');
    expect(await world.reads.handle('cam-in', read)).toBe('stored');
    expect(await world.reads.handle('cam-in', read)).toBe('duplicate');
    // The same id of another camera is another event; the debounce outlives the restart, too.
    expect(await world.reads.handle('cam-in-2', world.read('ZG9', { vendor_event_id: 'before' }))).toBe('stored');
    expect(world.store.reads.map(({ record }) => record.access_decision_reason)).toEqual(['tariff', 'debounce']);
    expect(world.commander.commands).toHaveLength(1);
  });

  it('answers a repeat of a read that is being stored when that is stored', async () => {
    const world = plateWorld();
    world.store.hold();
    const read = world.read('ZG1');
    const answers = [world.reads.handle('cam-in', read), world.reads.handle('cam-in', read)];
    await settle();
    expect(world.store.calls.filter((call) => call === 'recordRead')).toHaveLength(1);
    world.store.release();
    expect(await Promise.all(answers)).toEqual(['stored', 'duplicate']);
    expect(world.commander.commands).toHaveLength(1);
  });

  it('opens although the store refuses, and keeps the same read when the camera repeats it', async () => {
    const world = plateWorld();
    world.store.refuses = true;
    const read = world.read('ZG1');
    expect(await world.reads.handle('cam-in', read)).toBe('not_stored');
    expect(await world.reads.handle('cam-in', read)).toBe('not_stored');
    expect(world.commander.commands).toHaveLength(1);
    expect(world.sessions.size).toBe(1);
    world.store.refuses = false;
    expect(await world.reads.handle('cam-in', read)).toBe('duplicate');
    expect(world.store.reads).toMatchObject([
      { record: { access_decision_reason: 'tariff', session: { effect: 'begin' } } },
    ]);
    expect(world.commander.commands).toHaveLength(1);
    await world.clock.advance(10_000);
    expect(world.store.reads).toHaveLength(1);
    expect(world.store.outcomes).toMatchObject([
      { record: { reading_uid: world.store.reads[0]?.uid, outcome: 'succeeded' } },
    ]);
  });

  it('keeps reads by itself when the store recovers, each before its outcome', async () => {
    const world = plateWorld();
    world.store.refuses = true;
    await world.reads.handle('cam-in', world.read('ZG1'));
    await world.reads.handle('cam-out', world.read('ZG1', { vendor_event_id: null }));
    await world.clock.advance(20_000);
    expect(world.store.reads).toEqual([]);
    world.store.refuses = false;
    world.store.calls.length = 0;
    await world.clock.advance(5_000);
    expect(world.store.calls).toEqual(['recordRead', 'recordOutcome', 'recordRead', 'recordOutcome']);
    expect(world.store.reads.map(({ record }) => record.session?.effect)).toEqual(['begin', 'end']);
    expect(world.clock.pending).toBe(0);
  });
});

describe('debounce', () => {
  it('denies the same plate and direction at any camera of the product, not at others', async () => {
    const world = plateWorld();
    await world.reads.handle('cam-in', world.read('ZG1'));
    await world.clock.advance(5_000);
    await world.reads.handle('cam-in-2', world.read('zg-1'));
    await world.reads.handle('cam-free', world.read('ZG1'));
    expect(world.store.reads.map(({ record }) => record.access_decision_reason)).toEqual([
      'tariff',
      'debounce',
      'tariff',
    ]);
    expect(world.store.reads[1]?.record.lot_entry).toBeNull();
  });

  it('decides two reads at once in their order: one opens', async () => {
    const world = plateWorld();
    world.commander.answer = null;
    await Promise.all([
      world.reads.handle('cam-in', world.read('ZG1')),
      world.reads.handle('cam-in-2', world.read('ZG1')),
    ]);
    expect(world.commander.commands).toHaveLength(1);
    expect(world.store.reads.map(({ record }) => record.access_decision_reason)).toEqual(['tariff', 'debounce']);
  });

  it('counts from the last read that was not itself debounced', async () => {
    const world = plateWorld();
    for (const wait of [0, 10_000, 4_000, 2_000]) {
      await world.clock.advance(wait);
      await world.reads.handle('cam-in', world.read('ZG1'));
    }
    expect(world.store.reads.map(({ record }) => record.access_decision_reason)).toEqual([
      'tariff',
      'debounce',
      'debounce',
      'tariff',
    ]);
  });

  it('is lifted by an opening that failed', async () => {
    const world = plateWorld();
    world.commander.answer = JAMMED;
    await world.reads.handle('cam-in', world.read('ZG1'));
    await settle();
    world.commander.answer = SUCCEEDED;
    await world.clock.advance(2_000);
    await world.reads.handle('cam-in', world.read('ZG1'));
    await world.reads.handle('cam-in', world.read('ZG1'));
    expect(world.store.reads.map(({ record }) => record.access_decision_reason)).toEqual([
      'tariff',
      'tariff',
      'debounce',
    ]);
    expect(world.store.outcomes.map(({ record }) => record.gateway_error_type)).toEqual([5, null]);
  });

  it('does not count clocks of two cameras that differ', async () => {
    const world = plateWorld();
    const ahead = { camera_time: { epoch_ms: world.clock.now() + 40_000, offset_min: 0 } };
    await world.reads.handle('cam-in', world.read('ZG1', ahead));
    await world.clock.advance(2_000);
    await world.reads.handle('cam-in-2', world.read('ZG1'));
    expect(world.store.reads[1]?.record.access_decision_reason).toBe('debounce');
  });
});

describe('openings', () => {
  it('are tried again for 20 s when the link fails, with the same event_id', async () => {
    const world = plateWorld();
    world.commander.answer = LINK_FAILURE;
    await world.reads.handle('cam-in', world.read('ZG1'));
    await world.clock.advance(60_000);
    const { commands } = world.commander;
    expect(commands).toHaveLength(40);
    expect(new Set(commands.map((command) => command.event_id)).size).toBe(1);
    expect(commands.at(-1)?.deadline_mono_ms).toBe(20_000);
    expect(world.store.outcomes).toMatchObject([{ record: { outcome: 'failed', gateway_error_type: 4 } }]);
  });

  it('debounce again when they succeed at last', async () => {
    const world = plateWorld();
    world.commander.answer = LINK_FAILURE;
    await world.reads.handle('cam-in', world.read('ZG1'));
    await world.clock.advance(2_000);
    world.commander.answer = SUCCEEDED;
    await world.clock.advance(1_000);
    expect(world.store.outcomes).toMatchObject([{ record: { outcome: 'succeeded' } }]);
    await world.reads.handle('cam-in', world.read('ZG1'));
    expect(world.store.reads[1]?.record.access_decision_reason).toBe('debounce');
  });

  it('are refused at an entry that somebody holds closed, as long as it is, and told as a failure', async () => {
    const world = plateWorld();
    world.link.heldClosed.add(BARRIER);
    await world.reads.handle('cam-in', world.read('ZG1'));
    await world.clock.advance(30_000);
    expect(world.commander.commands).toEqual([]);
    expect(world.store.outcomes).toMatchObject([{ record: { outcome: 'failed', gateway_error_type: 10 } }]);
    world.link.heldClosed.clear();
    await world.reads.handle('cam-in', world.read('ZG1'));
    await settle();
    expect(world.commander.commands).toHaveLength(1);
  });

  it('act once at an exit that is held closed: nobody is shut in', async () => {
    const world = plateWorld();
    await world.reads.handle('cam-in', world.read('ZG1'));
    world.link.heldClosed.add(GATE);
    await world.reads.handle('cam-out', world.read('ZG1'));
    await settle();
    expect(world.commander.commands.map(({ device_id }) => device_id)).toEqual([BARRIER, GATE]);
  });

  it('are not tried again when the product itself refuses', async () => {
    const world = plateWorld();
    world.commander.answer = JAMMED;
    await world.reads.handle('cam-in', world.read('ZG1'));
    await world.clock.advance(30_000);
    expect(world.commander.commands).toHaveLength(1);
  });

  it('end with the next plate at the product, admitted or not, even in the middle of an attempt', async () => {
    const world = plateWorld({
      zone: { has_tariff: false },
      plates: { ZG1: { zone_ids: [ZONE_ID], product_ids: [] } },
    });
    world.commander.answer = LINK_FAILURE;
    await world.reads.handle('cam-in', world.read('ZG1'));
    await settle();
    world.commander.answer = null;
    await world.clock.advance(1_000);
    expect(world.commander.commands).toHaveLength(2);
    await world.reads.handle('cam-in-2', world.read('ST1'));
    await world.clock.advance(30_000);
    expect(world.commander.commands).toHaveLength(2);
    expect(world.store.outcomes).toMatchObject([{ record: { outcome: 'failed', gateway_error_type: 2 } }]);
  });

  it('are taken over by a new read of the same vehicle', async () => {
    const world = plateWorld();
    world.commander.answer = LINK_FAILURE;
    await world.reads.handle('cam-in', world.read('ZG1'));
    await world.clock.advance(1_200);
    world.commander.answer = SUCCEEDED;
    await world.reads.handle('cam-in', world.read('ZG1'));
    await world.clock.advance(30_000);
    expect(world.commander.commands).toHaveLength(4);
    expect(world.store.outcomes.map(({ record }) => record.outcome)).toEqual(
      expect.arrayContaining(['failed', 'succeeded']),
    );
  });

  it('left open by a stop are recorded as unknown, never done again, and lift the debounce', async () => {
    const world = plateWorld({
      boot: {
        intents: [{ reading_uid: uidOf(9), event_id: '0000abcd' as never, product_id: 21 }],
        recent_reads: [
          {
            uid: uidOf(9),
            camera_device_id: 'cam-in',
            vendor_event_id: 'before',
            plate: 'ZG9',
            direction: 'in',
            event_ms: Date.UTC(2026, 0, 15, 11, 59, 58),
            debounced: false,
            allowed: true,
            states: [],
          },
        ],
      },
    });
    await settle();
    expect(world.commander.commands).toEqual([]);
    expect(world.store.outcomes).toMatchObject([
      {
        record: {
          reading_uid: uidOf(9),
          event_id: '0000abcd',
          product_id: 21,
          outcome: 'unknown',
          gateway_error_type: null,
        },
      },
    ]);
    await world.reads.handle('cam-in', world.read('ZG9'));
    expect(world.store.reads[0]?.record.access_decision).toBe('triggered');
  });
});

describe('time', () => {
  it('is the camera time, put right by the error that is known of its clock, and the drift shows', async () => {
    const world = plateWorld();
    const now = world.clock.now();
    await world.reads.handle('cam-in', world.read('ZG1', { camera_time: { epoch_ms: now - 29_000, offset_min: 0 } }));
    expect(world.states.list()).toMatchObject([{ device_id: 'cam-in', clock_behind_ms: 29_000, is_drifting: false }]);
    await world.reads.handle('cam-in', world.read('ZG2', { camera_time: { epoch_ms: now + 61_000, offset_min: 0 } }));
    expect(world.states.list()).toMatchObject([{ clock_behind_ms: -61_000, is_drifting: true }]);
    await world.reads.handle('cam-in', world.read('ZG3', { camera_time: null }));
    expect(world.store.reads.map(({ record }) => record.reading.event_ms)).toEqual([now, now, now]);
  });

  it('is that of the event for a late retransmission: nothing opens, the session begins then', async () => {
    const world = plateWorld();
    const event_ms = world.clock.now() - 10 * MINUTE;
    const late = { retransmission: true, camera_time: { epoch_ms: event_ms, offset_min: 0 } };
    await world.reads.handle('cam-in', world.read('ZG1', late));
    expect(world.store.reads[0]).toMatchObject({
      record: {
        reading: { event_ms, retransmission: true },
        access_decision: null,
        access_decision_reason: null,
        lot_entry: { is_allowed: true },
        session: { effect: 'begin' },
        opening: null,
      },
      sessions: [{ began_ms: event_ms }],
    });
    expect(world.commander.commands).toEqual([]);
    // It says nothing about who stands there now.
    await world.reads.handle('cam-in', world.read('ZG1'));
    expect(world.store.reads[1]?.record.access_decision_reason).toBe('tariff');
  });

  it.each([
    ['1970', 451_000],
    ['2000', Date.UTC(2000, 0, 1)],
  ])('is the arrival for a retransmission of %s, and the record says so', async (_, epoch_ms) => {
    const world = plateWorld();
    const now = world.clock.now();
    const camera_time = { epoch_ms, offset_min: 0 };
    await world.reads.handle('cam-in', world.read('ZG1', { retransmission: true, camera_time }));
    expect(world.store.reads).toMatchObject([
      { record: { reading: { event_ms: now, time_source: 'arrival' }, opening: null }, sessions: [{ began_ms: now }] },
    ]);
  });

  it('is put right for a retransmission by what live reads showed of the camera’s clock', async () => {
    const world = plateWorld();
    const HOURS = 2 * 60 * MINUTE;
    const byItsClock = () => ({ camera_time: { epoch_ms: world.clock.now() - HOURS, offset_min: 0 } });
    await world.reads.handle('cam-in', world.read('ZG0', byItsClock()));
    await world.clock.advance(30_000);
    const now = world.clock.now();
    await world.reads.handle('cam-in', world.read('ZG1', byItsClock()));
    const camera_time = { epoch_ms: now - HOURS - 10 * MINUTE, offset_min: 0 };
    await world.reads.handle('cam-in', world.read('ZG2', { retransmission: true, camera_time }));
    expect(world.store.reads.map(({ record: { reading } }) => [reading.event_ms, reading.time_source])).toEqual([
      [now - 30_000 - HOURS, 'device'],
      [now, 'device'],
      [now - 10 * MINUTE, 'device'],
    ]);
  });

  it('is not believed for a retransmission while the gateway does not know the time', async () => {
    const world = plateWorld();
    world.link.clockOk = false;
    await world.reads.handle('cam-in', world.read('ZG1', { retransmission: true }));
    expect(world.store.reads[0]).toMatchObject({ clock_ok: false, record: { access_decision: null, opening: null } });
  });

  it('lets a fresh retransmission open', async () => {
    const world = plateWorld();
    await world.clock.advance(29_000);
    const camera_time = { epoch_ms: world.clock.now() - 29_000, offset_min: 0 };
    await world.reads.handle('cam-in', world.read('ZG1', { retransmission: true, camera_time }));
    expect(world.commander.commands).toHaveLength(1);
  });
});

describe('sightings', () => {
  it.each(['unknown', '', '-'])('keep a vehicle whose plate is %j, without a reading', async (plate) => {
    const world = plateWorld();
    const read = world.read(plate);
    expect(await world.reads.handle('cam-in', read)).toBe('stored');
    expect(await world.reads.handle('cam-in', read)).toBe('duplicate');
    expect(world.store.reads).toEqual([]);
    expect(world.store.entries).toMatchObject([
      { lane: 1, payload: { kind: 'sighting', lpr_camera_id: 11, zone_id: ZONE_ID, direction: 'in', images: [] } },
    ]);
    expect(recordPayloadSchema.safeParse(world.store.entries[0]?.payload).error).toBeUndefined();
    expect(world.committed).toEqual([1]);
  });
});

describe('configuration', () => {
  it('takes products per camera and opens nothing that is not configured', async () => {
    const world = plateWorld({ cameras: [camera('cam-in', { product_device_id: 'ffffffffffff' as never })] });
    await world.reads.handle('cam-in', world.read('ZG1'));
    expect(world.store.reads[0]?.record).toMatchObject({ access_decision: 'triggered', opening: null });
  });

  it('takes up a delta', async () => {
    const world = plateWorld({ zone: { has_tariff: false } });
    world.rules.apply({
      section: 'plates',
      base: 'revision of plates',
      revision: 'next',
      upsert: { ZG1: { zone_ids: [ZONE_ID], product_ids: [] } },
      remove: [],
      applied: null,
    });
    await world.reads.handle('cam-in', world.read('ZG1'));
    expect(world.store.reads[0]?.record.access_decision_reason).toBe('whitelist');
    expect(world.rules.revisions()).toMatchObject({ plates: 'next', zones: 'revision of zones' });
  });
});

describe('close', () => {
  it('ends retries and waits for what is under way', async () => {
    const world = plateWorld();
    world.commander.answer = LINK_FAILURE;
    await world.reads.handle('cam-in', world.read('ZG1'));
    await settle();
    const closed = world.reads.close();
    await settle();
    await closed;
    expect(world.store.outcomes).toMatchObject([{ record: { outcome: 'failed' } }]);
    expect(world.clock.pending).toBe(0);
    expect(world.commander.commands.every((command) => command.device_id !== GATE)).toBe(true);
  });
});
