/** The cloud of `link-world.ts` as tests have it: made and closed with them, and a gateway that sends it records. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { EVENT_SCHEMAS, type EventName } from '../../../shared/events/event-schemas.js';
import type { Lane } from '../../../shared/uplink.js';
import { newOutboxEpoch, recordOf, wireBatch } from '../ingest/gateway-records.js';
import { NORTH_GATEWAY } from './link-site.js';
import { createStoreWorld, type StoreWorld, type StoreWorldOptions } from './link-world.js';

/** A cloud for each test of the file, or one for all of them; it has its members once the first test begins. */
export function storeWorld(lives: 'for each test' | 'for all tests', options: StoreWorldOptions = {}): StoreWorld {
  const world = {} as StoreWorld;
  const [before, after] = lives === 'for each test' ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(async () => void Object.assign(world, await createStoreWorld(options)));
  after(() => world.close());
  return world;
}

/**
 * A gateway that numbers what it sends: what records carry, or whole records, which keep what they have but for their number.
 * @returns sends records as one batch, all of which are taken, and answers the events that they made
 */
export function senderOf(world: StoreWorld, uuid = NORTH_GATEWAY) {
  let { store } = world;
  let sent = { epoch: newOutboxEpoch(), seqs: [0, 0, 0] };
  return async (lane: Lane, ...records: readonly object[]) => {
    if (store !== world.store) sent = { epoch: newOutboxEpoch(), seqs: [0, 0, 0] };
    ({ store } = world);
    const { epoch, seqs } = sent;
    const next = () => (seqs[lane] = (seqs[lane] ?? 0) + 1);
    const numbered = records.map((each) => ('payload' in each ? { ...each, seq: next() } : recordOf(next(), each)));
    world.pushed.length = 0;
    const ack = await world.ingest.apply(uuid, wireBatch(epoch, lane, numbered));
    expect(ack).toEqual({ epoch, lane, seq: seqs[lane], gap: false, diverged: false });
    return world.pushed.map(({ event, payload }): { event: EventName; payload: Record<string, unknown> } => {
      expect(EVENT_SCHEMAS[event].safeParse(payload).error).toBeUndefined();
      return { event, payload: payload as Record<string, unknown> };
    });
  };
}
