/** Reads that a camera is not sure enough of, and vehicles whose plate it can read only at a second look. */
import { describe, expect, it } from 'vitest';
import { settle } from '../../world/fake-clock.js';
import { BARRIER, camera, plateWorld, ZONE_ID } from './plate-world.js';

const unsure = (min_confidence = 0.8) => plateWorld({ cameras: [camera('cam-in', { min_confidence })] });
const kinds = ({ store }: ReturnType<typeof plateWorld>) => store.entries.map(({ payload }) => payload.kind);

describe('a read below min_confidence', () => {
  it('is a sighting and opens nothing, even for a member', async () => {
    const world = plateWorld({
      cameras: [camera('cam-in', { min_confidence: 0.8 })],
      plates: { ZG1: { zone_ids: [ZONE_ID], product_ids: [] } },
    });
    expect(await world.reads.handle('cam-in', world.read('ZG1', { confidence: 0.79 }))).toBe('stored');
    expect([kinds(world), world.store.reads, world.commander.commands]).toEqual([['sighting'], [], []]);
  });

  it('is a read like any other at a camera without one', async () => {
    const world = unsure(0);
    await world.reads.handle('cam-in', world.read('ZG1', { confidence: 0 }));
    expect(world.commander.commands).toHaveLength(1);
  });

  it('becomes a reading and opens once the camera is sure enough, and is refined from then on', async () => {
    const world = unsure();
    const event = { vendor_event_id: 'event' };
    await world.reads.handle('cam-in', world.read('ZG8', { ...event, confidence: 0.4 }));
    expect(await world.reads.handle('cam-in', world.read('ZG8', { ...event, confidence: 0.5 }))).toBe('duplicate');
    expect(await world.reads.handle('cam-in', world.read('ZGB', { ...event, confidence: 0.9 }))).toBe('stored');
    expect(world.commander.commands).toMatchObject([{ device_id: BARRIER, command: { name: 'open' } }]);
    expect(await world.reads.handle('cam-in', world.read('ZGB', { ...event, confidence: 0.9 }))).toBe('duplicate');
    expect(await world.reads.handle('cam-in', world.read('ZGB', { ...event, confidence: 0.95 }))).toBe('stored');
    await settle();
    expect([kinds(world), world.store.reads.length, world.store.refinements.length]).toEqual([['sighting'], 1, 1]);
    expect(world.commander.commands).toHaveLength(1);
  });

  it('or less sure than what was denied refines no reading, and opens for none', async () => {
    const world = plateWorld({
      cameras: [camera('cam-in', { min_confidence: 0.8 })],
      zone: { has_tariff: false },
      plates: { ZG1: { zone_ids: [ZONE_ID], product_ids: [] } },
    });
    const event = { vendor_event_id: 'event' };
    await world.reads.handle('cam-in', world.read('ZG7', event));
    expect(await world.reads.handle('cam-in', world.read('ZG1', { ...event, confidence: 0.7 }))).toBe('duplicate');
    expect([world.store.refinements, world.commander.commands]).toEqual([[], []]);
    expect(await world.reads.handle('cam-in', world.read('ZG1', { ...event, confidence: 0.8 }))).toBe('duplicate');
    expect([world.store.refinements, world.commander.commands]).toEqual([[], []]);
    expect(await world.reads.handle('cam-in', world.read('ZG1', { ...event, confidence: 0.95 }))).toBe('stored');
    expect(world.commander.commands).toHaveLength(1);
  });

  it('stays a sighting when its retransmission comes', async () => {
    const world = unsure();
    const event = { vendor_event_id: 'event' };
    await world.reads.handle('cam-in', world.read('ZG1', { ...event, confidence: 0.4 }));
    const again = world.read('ZG1', { ...event, confidence: 0.9, retransmission: true });
    expect(await world.reads.handle('cam-in', again)).toBe('duplicate');
    expect(world.commander.commands).toEqual([]);
  });
});

describe('a vehicle without a plate at first', () => {
  it('is read once its plate can be', async () => {
    const world = plateWorld();
    const event = { vendor_event_id: 'event' };
    await world.reads.handle('cam-in', world.read('unknown', event));
    expect(await world.reads.handle('cam-in', world.read('ZG1', event))).toBe('stored');
    await settle();
    expect([kinds(world), world.store.reads.length, world.commander.commands.length]).toEqual([['sighting'], 1, 1]);
  });

  it('opens nothing when it could be read only long after it was seen', async () => {
    const world = plateWorld();
    const seen = world.read('unknown', { vendor_event_id: 'event' });
    await world.reads.handle('cam-in', seen);
    await world.clock.advance(3 * 3_600_000);
    expect(await world.reads.handle('cam-in', { ...seen, raw_plate: 'ZG1' })).toBe('stored');
    expect(world.store.reads).toMatchObject([{ record: { access_decision: null, reading: { retransmission: true } } }]);
    expect(world.commander.commands).toEqual([]);
  });

  it('is read even while the store refuses the sighting, which then does not take its place', async () => {
    const world = plateWorld();
    const event = { vendor_event_id: 'event' };
    world.store.refuses = true;
    expect(await world.reads.handle('cam-in', world.read('unknown', event))).toBe('not_stored');
    world.store.refuses = false;
    expect(await world.reads.handle('cam-in', world.read('ZG1', event))).toBe('stored');
    await world.clock.advance(60_000);
    expect(kinds(world)).toEqual(['sighting']);
    expect(await world.reads.handle('cam-in', world.read('ZG1', { ...event, confidence: 0.99 }))).toBe('stored');
    expect([world.store.reads.length, world.store.refinements.length]).toEqual([1, 1]);
  });
});

describe('candidates of a vendor', () => {
  it('take the place of a plate that no vehicle of the country has', async () => {
    const world = plateWorld();
    const candidates = [{ raw_plate: 'ZG1234AB', confidence: 0.7 }];
    await world.reads.handle('cam-in', world.read('ZG1234A8', { country_code: 'HR', candidates }));
    expect(world.store.reads[0]?.record).toMatchObject({
      reading: { plate: 'ZG1234AB', raw_plate: 'ZG1234AB', confidence: 0.7 },
      trace: { plate: 'ZG1234AB', rule: 'tariff' },
    });
  });

  it('never that of a member', async () => {
    const world = plateWorld({ plates: { ZG1234A8: { zone_ids: [ZONE_ID], product_ids: [] } } });
    const candidates = [{ raw_plate: 'ZG1234AB', confidence: 0.99 }];
    await world.reads.handle('cam-in', world.read('ZG1234A8', { country_code: 'HR', candidates }));
    expect(world.store.reads[0]?.record).toMatchObject({
      reading: { plate: 'ZG1234A8' },
      access_decision_reason: 'whitelist',
    });
  });
});
