import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { decideRefinement, STATES_PER_READ_MAX } from '../../../agent/lpr/reads/decide-refinement.js';
import { recentReadOf } from '../../../agent/store/agent-store.js';
import { recordPayloadSchema } from '../../../shared/uplink.js';
import { settle } from '../../world/fake-clock.js';
import { GATE, plateWorld, type PlateWorld, uidOf, ZONE_ID } from './plate-world.js';

const EVENT = { vendor_event_id: 'event' };
const SESSION = { uid: uidOf(7), plate: 'ZG1', zone_id: ZONE_ID, began_ms: Date.UTC(2026, 0, 15, 9), ended_ms: null };

const decisions = ({ store }: PlateWorld) =>
  store.refinements.map(({ record }) => record.decided?.access_decision_reason ?? null);

describe('whether something is a refinement', () => {
  const known = { plate: 'ZG1', direction: 'in', allowed: false, states: ['in 0.9 ZG1'] } as const;
  const sent = { plate: 'ZG2', direction: 'in', confidence: 0.9, retransmission: false, isLate: false } as const;

  it.each([
    ['another plate after a denial is decided again', known, sent, true],
    [
      'another direction after no lot entry, too',
      { ...known, allowed: null },
      { ...sent, plate: 'ZG1', direction: 'out' },
      true,
    ],
    ['nothing once the vehicle was let through', { ...known, allowed: true }, sent, false],
    ['not the same plate spelled otherwise', known, { ...sent, plate: 'ZG-1' }, false],
    ['not a direction that got lost', known, { ...sent, direction: 'undefined' }, false],
    ['nothing that comes late', known, { ...sent, isLate: true }, false],
    ['what has no confidence is as good as any', known, { ...sent, confidence: null }, true],
  ] as const)('%s', (_, before, again, decidesAgain) => {
    expect(decideRefinement(before, again)).toMatchObject({ plate: again.plate, decidesAgain, keepsPlate: false });
  });

  it('a less sure plate does not take the place of a surer one, and yet may tell the direction', () => {
    const unsure = { ...sent, confidence: 0.5 };
    const before = { ...known, direction: 'undefined', states: ['undefined 0.9 ZG1'] } as const;
    const after = { plate: 'ZG1', confidence: 0.9, keepsPlate: true, state: 'in 0.9 ZG1', decidesAgain: true };
    expect(decideRefinement(before, unsure)).toEqual(after);
  });

  it.each([
    ['what was told', known, { ...sent, plate: 'ZG1' }],
    ['a less sure plate', known, { ...sent, confidence: 0.89 }],
    ['the same plate, less sure', known, { ...sent, plate: 'ZG1', confidence: 0.5 }],
    ['a less sure plate without a direction', known, { ...sent, confidence: 0.5, direction: 'undefined' }],
    ['a retransmission', known, { ...sent, retransmission: true }],
    ['no usable plate', known, { ...sent, plate: null }],
    ['one of a read whose states were lost', { ...known, states: [] }, sent],
    ['one too many', { ...known, states: Array.from({ length: STATES_PER_READ_MAX }, () => 'in 0.1 ZG9') }, sent],
  ] as const)('is not %s', (_, before, again) => {
    expect(decideRefinement(before, again)).toBeNull();
  });
});

describe('an id that a camera uses again', () => {
  const MEMBER = { ZG2: { zone_ids: [ZONE_ID], product_ids: [] } };
  const HOUR_MS = 3_600_000;

  it('is of another vehicle once minutes have passed: that is decided, and opens', async () => {
    const world = plateWorld();
    await world.reads.handle('cam-in', world.read('ZG1', { vendor_event_id: '88' }));
    await world.clock.advance(10 * 60_000);
    const second = world.read('ZG2', { vendor_event_id: '88' });
    expect(await world.reads.handle('cam-in', second)).toBe('stored');
    expect(world.commander.commands).toHaveLength(2);
    expect(world.store.reads.map(({ record }) => record.reading.plate)).toEqual(['ZG1', 'ZG2']);
    expect(await world.reads.handle('cam-in', second)).toBe('duplicate');
  });

  it('is of the same vehicle another day, which is decided again', async () => {
    const world = plateWorld({ plates: MEMBER });
    await world.reads.handle('cam-in', world.read('ZG2', { vendor_event_id: '5' }));
    await world.clock.advance(23 * HOUR_MS);
    await world.reads.handle('cam-in', world.read('ZG2', { vendor_event_id: '5' }));
    expect(world.commander.commands).toHaveLength(2);
  });

  it('is told apart by the time of the event where everything comes at once', async () => {
    const world = plateWorld();
    const at = (plate: string, ago_ms: number) =>
      world.read(plate, {
        vendor_event_id: '88',
        camera_time: { epoch_ms: world.clock.now() - ago_ms, offset_min: 0 },
      });
    await world.reads.handle('cam-in', at('ZG1', 600_000));
    await world.reads.handle('cam-in', at('ZG2', 0));
    expect(world.store.reads).toHaveLength(2);
    expect(world.store.refinements).toEqual([]);
  });

  it('keeps the repeats of both apart for a day', async () => {
    const world = plateWorld();
    const first = world.read('ZG1', { vendor_event_id: '88' });
    await world.reads.handle('cam-in', first);
    await world.clock.advance(HOUR_MS);
    const second = world.read('ZG2', { vendor_event_id: '88' });
    await world.reads.handle('cam-in', second);
    await world.clock.advance(20 * HOUR_MS);
    for (const read of [first, second]) expect(await world.reads.handle('cam-in', read)).toBe('duplicate');
    expect(world.commander.commands).toHaveLength(2);
  });

  it('opens nothing hours after the vehicle was seen, and corrects its plate', async () => {
    const world = plateWorld({ zone: { has_tariff: false }, plates: MEMBER });
    const denied = world.read('ZG1', { vendor_event_id: 'X' });
    await world.reads.handle('cam-in', denied);
    await world.clock.advance(3 * HOUR_MS);
    expect(await world.reads.handle('cam-in', { ...denied, raw_plate: 'ZG2' })).toBe('stored');
    expect(world.commander.commands).toEqual([]);
    expect(world.store.refinements).toMatchObject([{ record: { reading: { plate: 'ZG2' }, decided: null } }]);
  });

  it('opens as of now what is seen now, whatever had its id before', async () => {
    const world = plateWorld({ zone: { has_tariff: false }, plates: MEMBER });
    await world.reads.handle('cam-in', world.read('ZG1', { vendor_event_id: 'X' }));
    await world.clock.advance(3 * HOUR_MS);
    await world.reads.handle('cam-in', world.read('ZG2', { vendor_event_id: 'X' }));
    expect(world.commander.commands).toHaveLength(1);
    expect(world.store.reads[1]?.record.reading.event_ms).toBe(world.clock.now());
  });

  it('without times is known by the plate for a day, and by the arrival for a minute', async () => {
    const world = plateWorld();
    const timeless = (plate: string) => world.read(plate, { vendor_event_id: '7', camera_time: null });
    await world.reads.handle('cam-in', timeless('ZG1'));
    await world.clock.advance(HOUR_MS);
    expect(await world.reads.handle('cam-in', timeless('ZG1'))).toBe('duplicate');
    await world.clock.advance(HOUR_MS);
    await world.reads.handle('cam-in', timeless('ZG3'));
    expect(world.store.reads).toHaveLength(2);
  });

  it('after a restart is known by the time of the event', async () => {
    const before = plateWorld({ zone: { has_tariff: false } });
    const denied = before.read('ZG1', { vendor_event_id: 'X' });
    await before.reads.handle('cam-in', denied);
    await settle();
    const kept = { ...recentReadOf(before.store.reads[0]!), uid: uidOf(9) };
    const world = plateWorld({ zone: { has_tariff: false }, plates: MEMBER, boot: { recent_reads: [kept] } });
    await world.clock.advance(HOUR_MS);
    expect(await world.reads.handle('cam-in', denied)).toBe('duplicate');
    expect(await world.reads.handle('cam-in', { ...denied, raw_plate: 'ZG2', confidence: 0.95 })).toBe('stored');
    expect(world.commander.commands).toEqual([]);
    expect(await world.reads.handle('cam-in', world.read('ZG2', { vendor_event_id: 'X' }))).toBe('stored');
    expect([world.commander.commands.length, world.store.reads.length]).toEqual([1, 1]);
  });

  it("is a tracked vehicle's own as long as it stands there", async () => {
    const world = plateWorld({ plates: MEMBER });
    const parked = () => world.read('ZG2', { vendor_event_id: '1768478399.5-fedcba', tracked: true });
    await world.reads.handle('cam-in', parked());
    await world.clock.advance(HOUR_MS);
    expect(await world.reads.handle('cam-in', parked())).toBe('duplicate');
    expect(world.commander.commands).toHaveLength(1);
  });
});

describe('a refinement', () => {
  it('by a plate that is less sure is none: the better one stays, and a denial stands', async () => {
    const world = plateWorld({
      zone: { has_tariff: false },
      plates: { ZG482IAB: { zone_ids: [ZONE_ID], product_ids: [] } },
    });
    for (const [plate, confidence] of [
      ['ZG4821AB', 0.95],
      ['ZG482IAB', 0.5],
      ['ZG4821AB', 0.95],
    ] as const)
      await world.reads.handle('cam-in', world.read(plate, { ...EVENT, confidence }));
    await settle();
    expect([world.store.reads.length, world.store.refinements, world.commander.commands]).toEqual([1, [], []]);
  });

  it('decides a denied plate again: it opens at once, and one transaction keeps all of it', async () => {
    const world = plateWorld({ sessions: [SESSION] });
    await world.reads.handle('cam-out', world.read('DU777', EVENT));
    await world.clock.advance(2_000);
    world.store.calls.length = 0;
    world.store.hold();
    const handled = world.reads.handle('cam-out', world.read('zg 1', { ...EVENT, confidence: 0.97 }));
    expect(world.commander.commands).toMatchObject([{ device_id: GATE, command: { name: 'open' } }]);
    await settle();
    expect(world.store.calls).toEqual(['open', 'recordRefinement']);
    world.store.release();
    expect(await handled).toBe('stored');
    await settle();
    const [read] = world.store.reads;
    const [commit] = world.store.refinements;
    expect(recordPayloadSchema.safeParse(commit?.record).error).toBeUndefined();
    expect(commit?.record).toMatchObject({
      reading_uid: read?.uid,
      refinement: 1,
      reading: {
        plate: 'ZG 1',
        raw_plate: 'zg 1',
        confidence: 0.97,
        event_ms: read?.record.reading.event_ms,
        images: [],
      },
      decided: {
        access_decision: 'triggered',
        access_decision_reason: 'session_exit',
        session: { effect: 'end', session_uid: SESSION.uid, look_alike: false },
        lot_entry: { is_allowed: true },
        opening: { product_id: 22, event_id: world.commander.commands[0]?.event_id },
      },
    });
    expect(commit?.sessions).toEqual([{ ...SESSION, ended_ms: read?.record.reading.event_ms }]);
    expect(world.sessions.size).toBe(0);
    expect(world.store.outcomes).toMatchObject([{ record: { reading_uid: read?.uid, outcome: 'succeeded' } }]);
    expect(world.committed).toEqual([0, 0, 0]);
  });

  it('tells the confidence alone in lane 1, without a decision', async () => {
    const world = plateWorld();
    await world.reads.handle('cam-in', world.read('ZG1', EVENT));
    expect(await world.reads.handle('cam-in', world.read('ZG1', { ...EVENT, confidence: 0.99 }))).toBe('stored');
    await settle();
    expect(world.store.refinements).toMatchObject([
      { record: { reading: { plate: 'ZG1', confidence: 0.99 }, decided: null }, sessions: [] },
    ]);
    expect(world.committed.toSorted()).toEqual([0, 0, 1]);
    expect(world.commander.commands).toHaveLength(1);
  });

  it('decides by the direction where there was none; a second denial is no second lot entry', async () => {
    const world = plateWorld();
    await world.reads.handle('cam-out', world.read('ZG1', { ...EVENT, movement: 'unknown' }));
    await world.reads.handle('cam-out', world.read('ZG1', { ...EVENT, movement: 'away' }));
    await world.reads.handle('cam-out', world.read('ZG1', { ...EVENT, movement: 'towards' }));
    await world.reads.handle('cam-out', world.read('ZG2', { ...EVENT, movement: 'towards' }));
    expect(world.store.reads[0]?.record.access_decision).toBeNull();
    expect(decisions(world)).toEqual(['direction_mismatch', 'no_active_session', 'no_active_session']);
    expect(world.store.refinements.map(({ record }) => record.decided?.lot_entry)).toEqual([
      { is_allowed: false },
      null,
      null,
    ]);
  });

  it('is not debounced against the read it refines, and is what later reads are debounced against', async () => {
    const world = plateWorld({ zone: { has_tariff: false }, plates: {} });
    for (const plate of ['ZG1', 'ZG2', 'ZG1']) {
      const confidence = world.store.refinements.length / 10;
      await world.reads.handle('cam-in', world.read(plate, { ...EVENT, confidence }));
    }
    expect(decisions(world)).toEqual(['no_tariff', 'no_tariff']);
    await world.reads.handle('cam-in', world.read('ZG2'));
    await world.reads.handle('cam-in', world.read('ZG1'));
    expect(world.store.reads.slice(1).map(({ record }) => record.access_decision_reason)).toEqual([
      'no_tariff',
      'debounce',
    ]);
  });

  it('survives a restart: what was told is not told again, what was let through is not decided again', async () => {
    const before = plateWorld({ sessions: [SESSION] });
    await before.reads.handle('cam-out', before.read('DU777', EVENT));
    await before.reads.handle('cam-out', before.read('ZG1', EVENT));
    await settle();
    const kept = { ...before.store.refinements[0]!.read, uid: uidOf(9) };
    const world = plateWorld({ boot: { recent_reads: [kept] } });
    expect(await world.reads.handle('cam-out', world.read('DU777', EVENT))).toBe('duplicate');
    expect(await world.reads.handle('cam-out', world.read('ZG1', EVENT))).toBe('duplicate');
    expect(await world.reads.handle('cam-out', world.read('ZG2', EVENT))).toBe('stored');
    expect(world.store.refinements.map(({ record }) => [record.refinement, record.decided])).toEqual([[2, null]]);
    expect(world.commander.commands).toEqual([]);
  });

  it('is acted on once when the store refuses it, and kept behind its read when the camera repeats it', async () => {
    const world = plateWorld({ sessions: [SESSION] });
    world.store.refuses = true;
    const refined = world.read('ZG1', EVENT);
    expect(await world.reads.handle('cam-out', world.read('DU777', EVENT))).toBe('not_stored');
    expect(await world.reads.handle('cam-out', refined)).toBe('not_stored');
    expect(await world.reads.handle('cam-out', refined)).toBe('not_stored');
    world.store.refuses = false;
    world.store.calls.length = 0;
    expect(await world.reads.handle('cam-out', refined)).toBe('duplicate');
    await world.clock.advance(5_000);
    await settle();
    expect(world.store.calls).toEqual(['recordRead', 'recordRefinement', 'recordOutcome']);
    expect(world.commander.commands).toHaveLength(1);
  });

  it('is told once whatever the camera repeats, opens once at most, and is never decided after that', async () => {
    const sent = fc.record({
      plate: fc.constantFrom('ZG1', 'ZG-1', 'ZG2', 'DU777', 'unknown'),
      confidence: fc.constantFrom(0.5, 0.9, null),
      movement: fc.constantFrom('towards' as const, 'away' as const, 'unknown' as const),
      retransmission: fc.constantFrom(false, false, false, true),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 12 }), async (again) => {
        const world = plateWorld({ sessions: [SESSION] });
        const first = { plate: 'DU777', confidence: 0.5, movement: 'towards' as const, retransmission: false };
        for (const { plate, ...change } of [first, ...again]) {
          await world.reads.handle('cam-out', world.read(plate, { ...EVENT, ...change }));
        }
        await settle();
        const records = world.store.refinements.map(({ record }) => record);
        const notified = [world.store.reads[0]!.record, ...records].map(
          ({ reading }) => `${reading.plate} ${reading.direction} ${reading.confidence}`,
        );
        expect(new Set(notified).size).toBe(notified.length);
        for (const [index, { reading }] of records.entries()) {
          const before = index === 0 ? world.store.reads[0]!.record.reading : records[index - 1]!.reading;
          expect(reading.confidence ?? 1).toBeGreaterThanOrEqual(before.confidence ?? 0);
        }
        expect(records.map(({ refinement }) => refinement)).toEqual(records.map((_, index) => index + 1));

        const triggered = records.findIndex(({ decided }) => decided?.access_decision === 'triggered');
        if (triggered >= 0) expect(records.slice(triggered + 1).every(({ decided }) => decided === null)).toBe(true);
        expect(world.commander.commands).toHaveLength(triggered >= 0 ? 1 : 0);
        expect(world.store.reads).toHaveLength(1);
      }),
    );
  });
});
