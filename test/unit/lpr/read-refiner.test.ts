import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRefinement, STATES_PER_READ_MAX } from '../../../agent/lpr/reads/decide-refinement.js';
import { recordPayloadSchema } from '../../../shared/uplink.js';
import { settle } from '../../sim/world/fake-clock.js';
import { GATE, plateWorld, type PlateWorld, uidOf, ZONE_ID } from './plate-world.js';

const EVENT = { vendor_event_id: 'event' };
const SESSION = { uid: uidOf(7), plate: 'ZG1', zone_id: ZONE_ID, began_ms: Date.UTC(2026, 0, 15, 9), ended_ms: null };

const decisions = ({ store }: PlateWorld) =>
  store.refinements.map(({ record }) => record.decided?.access_decision_reason ?? null);

describe('whether something is a refinement', () => {
  const known = { plate: 'ZG1', direction: 'in', allowed: false, states: ['a'] } as const;
  const sent = { plate: 'ZG2', direction: 'in', retransmission: false, state: 'b' } as const;

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
  ] as const)('%s', (_, before, again, decidesAgain) => {
    expect(decideRefinement(before, again)).toEqual({ plate: again.plate, decidesAgain });
  });

  it.each([
    ['what was told', known, { ...sent, state: 'a' }],
    ['a retransmission', known, { ...sent, retransmission: true }],
    ['no usable plate', known, { ...sent, plate: null }],
    ['one of a read an older agent kept', { ...known, states: [] }, sent],
    ['one too many', { ...known, states: Array.from({ length: STATES_PER_READ_MAX }, String) }, sent],
  ] as const)('is not %s', (_, before, again) => {
    expect(decideRefinement(before, again)).toBeNull();
  });
});

describe('a refinement', () => {
  it('of a denied plate is decided again: it opens at once, and one transaction keeps all of it', async () => {
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

  it('of the confidence alone is told in lane 1, without a decision', async () => {
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

  it('of the direction is decided where there was none; a second denial is no second lot entry', async () => {
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

  it('that the store refuses is acted on once, and kept behind its read when the camera repeats it', async () => {
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
        const told = [world.store.reads[0]!.record, ...records].map(
          ({ reading }) => `${reading.plate} ${reading.direction} ${reading.confidence}`,
        );
        expect(new Set(told).size).toBe(told.length);
        const usable = [first, ...again].filter(({ plate, retransmission }) => plate !== 'unknown' && !retransmission);
        const states = usable.map(({ plate, movement, confidence }) => `${plate} ${movement} ${confidence}`);
        expect(told).toHaveLength(new Set(states).size);
        expect(records.map(({ refinement }) => refinement)).toEqual(records.map((_, index) => index + 1));

        const triggered = records.findIndex(({ decided }) => decided?.access_decision === 'triggered');
        if (triggered >= 0) expect(records.slice(triggered + 1).every(({ decided }) => decided === null)).toBe(true);
        expect(world.commander.commands).toHaveLength(triggered >= 0 ? 1 : 0);
        expect(world.store.reads).toHaveLength(1);
      }),
    );
  });
});
