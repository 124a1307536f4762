import { describe, expect, it } from 'vitest';
import { plateWorld } from './plate-world.js';

const HOUR = 3_600_000;
/** Where the clock of the world begins. */
const NOON = Date.UTC(2026, 0, 15, 12);
/** 21 is the entry barrier, 22 the exit gate. */
const keyOf = (product_id: number, start_ms: number, end_ms: number | null) => ({
  ST55ABC: { zone_ids: [], product_ids: [], keys: [{ product_id, start_ms, end_ms }] },
});

/** 5 is the zone of both. */
const memberOf = (start_ms: number | null, end_ms: number | null) => ({
  ST55ABC: { zone_ids: [], product_ids: [], members: [{ zone_id: 5, start_ms, end_ms }] },
});

async function decisions(world: ReturnType<typeof plateWorld>, cameras: string[]): Promise<(string | null)[]> {
  for (const camera of cameras) await world.reads.handle(camera, world.read('ST 55-ABC'));
  return world.store.reads.map(({ record }) => record.access_decision_reason);
}

describe('a plate with a key', () => {
  it('is admitted where its product is opened, without a tariff in the zone', async () => {
    const world = plateWorld({ zone: { has_tariff: false }, plates: keyOf(21, NOON - HOUR, NOON + HOUR) });
    expect(await decisions(world, ['cam-in'])).toEqual(['whitelist']);
    expect(world.commander.commands).toHaveLength(1);
  });

  it('leaves by its session, though the gate is not its product', async () => {
    const world = plateWorld({ zone: { has_tariff: false }, plates: keyOf(21, NOON - HOUR, null) });
    expect(await decisions(world, ['cam-in', 'cam-out'])).toEqual(['whitelist', 'session_exit']);
  });

  it('is a stranger at any other product', async () => {
    const world = plateWorld({ zone: { has_tariff: false }, plates: keyOf(22, NOON - HOUR, null) });
    expect(await decisions(world, ['cam-in', 'cam-out'])).toEqual(['no_tariff', 'whitelist']);
  });

  it('is a stranger before its time and after it, without another word from the cloud', async () => {
    const world = plateWorld({ zone: { has_tariff: false }, plates: keyOf(21, NOON + HOUR, NOON + 2 * HOUR) });
    world.link.isOnline = false;
    await decisions(world, ['cam-in']);
    await world.clock.advance(HOUR);
    await decisions(world, ['cam-in']);
    await world.clock.advance(HOUR);
    expect(await decisions(world, ['cam-in'])).toEqual(['no_tariff', 'whitelist', 'no_tariff']);
  });

  it('was admitted by the time of the event, however late its report comes', async () => {
    const world = plateWorld({ zone: { has_tariff: false }, plates: keyOf(21, NOON, NOON + HOUR) });
    await world.clock.advance(2 * HOUR);
    const late = { retransmission: true, camera_time: { epoch_ms: NOON + HOUR / 2, offset_min: 60 } };
    await world.reads.handle('cam-in', world.read('ST55ABC', late));
    expect(world.store.reads[0]?.record).toMatchObject({
      access_decision: null,
      session: { effect: 'begin' },
      lot_entry: { is_allowed: true },
    });
    expect(world.commander.commands).toEqual([]);
  });
});

describe('a plate of a member with times', () => {
  it.each([
    [HOUR - 1, 'no_tariff'],
    [HOUR, 'whitelist'],
    [2 * HOUR - 1, 'whitelist'],
    [2 * HOUR, 'no_tariff'],
  ])('is after %d ms decided with %s, without another word from the cloud', async (passes, reason) => {
    const world = plateWorld({ zone: { has_tariff: false }, plates: memberOf(NOON + HOUR, NOON + 2 * HOUR) });
    world.link.isOnline = false;
    await world.clock.advance(passes);
    expect(await decisions(world, ['cam-in'])).toEqual([reason]);
    expect(world.commander.commands).toHaveLength(reason === 'whitelist' ? 1 : 0);
  });

  it('was admitted by the time of the event, however late its report comes', async () => {
    const world = plateWorld({ zone: { has_tariff: false }, plates: memberOf(null, NOON + HOUR) });
    await world.clock.advance(2 * HOUR);
    const late = { retransmission: true, camera_time: { epoch_ms: NOON + HOUR / 2, offset_min: 60 } };
    await world.reads.handle('cam-in', world.read('ST55ABC', late));
    expect(world.store.reads[0]?.record).toMatchObject({
      session: { effect: 'begin' },
      lot_entry: { is_allowed: true },
    });
  });
});
