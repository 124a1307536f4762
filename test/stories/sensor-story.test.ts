import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_SCHEMAS, type EventName } from '../../shared/events/event-schemas.js';
import type { Heard, RealtimeListener } from '../world/realtime-listener.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

const OCCUPANCY_EVENTS = [
  'lot_detection_change',
  'zone_change',
  'parking_place_change',
  'parking_gateway_state_change',
] as const;

/** An occupancy event in one line: its name and its value. */
function line({ event, payload }: Heard): string {
  const [thing] = Object.values(payload)[0] as Record<string, unknown>[];
  const value = thing?.occupancy_status ?? thing?.occupied_count ?? thing?.status;
  return [event, ...(event === 'parking_place_change' ? [thing?.name] : []), value].join(' ');
}

const change = (place: string, status: 'occupied' | 'free', occupied: number) => [
  `lot_detection_change ${occupied}`,
  `zone_change ${occupied}`,
  `parking_place_change ${place} ${status}`,
];

describe('sensor story: a place becomes occupied and free again, and silence is neither', () => {
  let world: World;
  let stream: RealtimeListener;

  beforeAll(async () => {
    world = await createWorld();
    // The stream begins after the first reports of the sensors.
    await waitUntil('the cloud to know that the sensors are heard', async () => {
      const { body } = await world.api<{ data: { status: string } }>('/v2/parking-gateways/1');
      return body.data.status === 'online';
    });
    await world.settled();
    stream = await world.listen();
  });

  afterAll(async () => {
    await stream?.close();
    await world?.close();
  });

  const park = (place: string, body: { occupied?: boolean; silent?: boolean }) =>
    world.sim('PATCH', `/places/${place}`, body);
  async function guidance() {
    const [first] = (await world.agentStatus()).parking_gateways;
    if (first === undefined) throw new Error('the agent has no parking gateway');
    return first;
  }
  const occupancyEvents = () =>
    stream.heard.filter(({ event }) => OCCUPANCY_EVENTS.some((name) => name === event)).map(line);
  /** Waits for so many changes of places, and until nothing more is under way. */
  async function heard(places: number): Promise<string[]> {
    await stream.waitFor('parking_place_change', places);
    await world.settled();
    return occupancyEvents();
  }

  it('sends a change as three events in order, with all that the specification says', async () => {
    await park('A1', { occupied: true });
    await stream.waitFor('parking_place_change');

    const notified = stream.heard.filter(({ event }) => /^(lot_detection|zone|parking_place)_change$/.test(event));
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(notified.map(({ event, payload }) => [event, payload])).toEqual([
      ['lot_detection_change', { lots: [{ id: 1, detection_status: 'online', occupied_count: 1 }] }],
      [
        'zone_change',
        {
          zones: [
            {
              id: 1,
              account_id: 1,
              lot_id: 1,
              name: 'Level 0',
              description: '',
              spot_count: 40,
              occupied_count: 1,
              deleted_at: null,
              created_at: instant,
              updated_at: instant,
            },
          ],
        },
      ],
      [
        'parking_place_change',
        { places: [{ id: 1, lot_id: 1, zone_id: 1, name: 'A1', occupancy_status: 'occupied' }] },
      ],
    ]);
    expect(notified.every(({ id }) => id !== null)).toBe(true);
  });

  it('counts the places of the zone and of the lot', async () => {
    await park('A2', { occupied: true });
    await stream.waitFor('parking_place_change', 2);
    await park('A1', { occupied: false });
    expect((await heard(3)).slice(3)).toEqual([...change('A2', 'occupied', 2), ...change('A1', 'free', 1)]);
  });

  it('sends nothing twice when the agent was killed and starts again', async () => {
    await world.faults.kill('agent');
    await world.startAgent();
    await waitUntil('the sensors to be heard again', async () => (await guidance()).occupied_count === 1);
    await park('A3', { occupied: true });
    expect((await heard(4)).slice(9)).toEqual(change('A3', 'occupied', 2));
  });

  it('sends what happened while the cloud was away, once and in order', async () => {
    const cursor = stream.heard.findLast(({ id }) => id !== null)?.id ?? '';
    await stream.close();
    await world.stopCloud();
    for (const [occupied, count] of [[false, 1] as const, [true, 2] as const]) {
      await park('A3', { occupied });
      await waitUntil('the agent to see it', async () => (await guidance()).occupied_count === count);
    }
    await world.startCloud();
    stream = await world.listen(cursor);
    expect(await heard(2)).toEqual([...change('A3', 'free', 1), ...change('A3', 'occupied', 2)]);
  });

  it('keeps the state of a place whose sensor falls silent, and the others go on', async () => {
    await park('A3', { silent: true, occupied: false });
    await waitUntil('the sensor to be stale', async () => (await guidance()).stale_places.join() === 'A3');
    await park('A1', { occupied: true });
    expect((await heard(3)).slice(6)).toEqual(change('A1', 'occupied', 3));
    expect((await guidance()).status).toBe('online');
  });

  it('reports the parking gateway offline when none of its sensors is heard, and online again', async () => {
    for (const place of ['A1', 'A2']) await park(place, { silent: true, occupied: false });
    await stream.waitFor('parking_gateway_state_change');
    expect(occupancyEvents().slice(9)).toEqual(['parking_gateway_state_change offline']);
    expect(stream.of('parking_gateway_state_change')[0]?.payload).toEqual({ gateways: [{ id: 1, status: 'offline' }] });

    await park('A2', { silent: false });
    await stream.waitFor('parking_gateway_state_change', 2);
    const sent = (await heard(4)).slice(10);
    expect(sent).toHaveLength(4);
    expect(sent).toEqual(expect.arrayContaining(['parking_gateway_state_change online', ...change('A2', 'free', 2)]));
  });

  it('sends nothing but what the specification describes', () => {
    for (const { event, payload } of stream.heard) {
      if (event === 'authorized') continue;
      expect(EVENT_SCHEMAS[event as EventName].safeParse(payload).error, event).toBeUndefined();
    }
  });
});
