/**
 * Batches whose times a hostile gateway chose, against ordinary ones, where a place has a million quarters and a plate a million stays: what
 * a record costs must not depend on the history before and after it. The two take turns, so that changes of the machine affect both.
 */
import { sql } from 'kysely';
import { QUARTER_MS } from '../../cloud/traffic/occupancy/decide-quarter.js';
import { DAY_MS } from '../../shared/durations.js';
import { insertId, NORTH_GATEWAY } from '../integration/gateway/link-site.js';
import { createStoreWorld, type StoreWorld } from '../integration/gateway/link-world.js';
import { entryRead, newOutboxEpoch, NOON_MS, recordOf, wireBatch } from '../integration/ingest/gateway-records.js';
import { startPostgres } from '../world/postgres-server.js';
import { amount, median, printFigure, alternate, timed } from './harness.js';

const ROWS = 1_000_000;
const ROUNDS = 30;
const RECORDS_OF_BATCH = 100;
const RATIO_MAX = 2;
/** The earliest that a record may be of. */
const OLD_MS = NOON_MS - 37 * DAY_MS;
/** How long after that the first of the stays is. */
const EMPTY_MS = 60_000_000;
const PLATE = 'ZG1';

export async function benchIngestHistory(): Promise<void> {
  await measure('SQLite', {});
  const server = await startPostgres({ isDurable: true, settings: ['shared_buffers=256MB', 'max_wal_size=4GB'] });
  try {
    await server.run('create database parking');
    await measure('PostgreSQL', { databaseUrl: server.url('parking') });
  } finally {
    await server.remove();
  }
}

async function measure(database: string, options: { databaseUrl?: string }): Promise<void> {
  const world = await createStoreWorld({ ...options, isHeard: false });
  try {
    const place = await fill(world);
    const epoch = newOutboxEpoch();
    const seqs = [0, 0];
    let isOccupied = false;
    const send = async (lane: 0 | 1, payloads: readonly unknown[]): Promise<number> => {
      const records = payloads.map((payload) => recordOf((seqs[lane] = (seqs[lane] ?? 0) + 1), payload));
      return timed(() => world.ingest.apply(NORTH_GATEWAY, wireBatch(epoch, lane, records)));
    };
    const changes = (at: (index: number) => number) =>
      Array.from({ length: RECORDS_OF_BATCH }, (_, index) => {
        isOccupied = !isOccupied;
        const occupancy_status = isOccupied ? 'occupied' : 'free';
        const event = { event_ms: at(index), time_source: 'device' };
        return { kind: 'place_change', parking_place_id: place, occupancy_status, ...event };
      });
    const reads = (plateOf: (index: number) => string, at: (index: number) => number) =>
      Array.from({ length: RECORDS_OF_BATCH }, (_, index) =>
        entryRead(world.site, { reading: { plate: plateOf(index), event_ms: at(index) }, read: { opening: null } }),
      );
    const kinds = {
      'changes of a place': {
        lane: 1,
        ordinary: (round: number) => changes((index) => NOON_MS - 60_000 + round * 100 + index),
        hostile: (round: number) => changes((index) => OLD_MS + index * QUARTER_MS + round),
      },
      'reads of a plate': {
        lane: 0,
        ordinary: (round: number) =>
          reads(
            (index) => `NEW${round}X${index}`,
            (index) => NOON_MS - 60_000 + index,
          ),
        // Each is before all that came before it, and begins a stay.
        hostile: (round: number) =>
          reads(
            () => PLATE,
            (index) => OLD_MS + EMPTY_MS - (round * RECORDS_OF_BATCH + index + 1),
          ),
      },
    } as const;
    for (const [what, { lane, ordinary, hostile }] of Object.entries(kinds)) {
      const times = await alternate(ROUNDS, {
        ordinary: (round) => send(lane, ordinary(round)),
        hostile: (round) => send(lane, hostile(round)),
      });
      printFigure(
        `a batch of ${RECORDS_OF_BATCH} ${what} before ${ROWS} others (${database})`,
        amount(median(times.hostile), '{} ms', 1),
        amount(median(times.ordinary), 'ordinary {} ms', 1),
        RATIO_MAX,
      );
    }
    const refused = await world.store.reader.selectFrom('dead_letters').select('reason').limit(3).execute();
    if (refused.length > 0) throw new Error(`records were not applied: ${JSON.stringify(refused)}`);
  } finally {
    await world.close();
  }
}

/** Fills the history of a place and its zone, and of a plate. @returns the place */
function fill({ store, site }: StoreWorld): Promise<number> {
  return store.change(async (tx) => {
    const { account: account_id, lot: lot_id, zone: zone_id, gateway: gateway_id } = site;
    const times = { created_at: 1, updated_at: 1 };
    await tx
      .updateTable('gateways')
      .set({ claimed_at: NOON_MS - 300 * DAY_MS, device_since: NOON_MS - 300 * DAY_MS })
      .execute();
    const parking_gateway_id = await insertId(tx, 'parking_gateways', {
      account_id,
      lot_id,
      gateway_id,
      name: 'Guidance',
      driver: 'modbus-tcp',
      address: '127.0.0.1:1',
      unit: 1,
      poll_ms: 1_000,
      heartbeat_s: 30,
      register: null,
      application: null,
      status: 'offline',
      last_seen: null,
      ...times,
    });
    const place = { account_id, lot_id, zone_id, parking_gateway_id, name: 'A1', sensor: '1', codec: null };
    const free = { occupancy_status: 'free' as const, first_heard_at: 1, changed_at: 1 };
    const sensing = { occupied_below_mm: null, hysteresis_mm: null };
    const owner_id = await insertId(tx, 'parking_places', { ...place, ...free, ...sensing, ...times });
    const numbers = sql`with recursive n(i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${ROWS})`;
    for (const [owner, id] of [
      ['place', owner_id],
      ['zone', zone_id],
    ] as const) {
      await sql`${numbers} insert into occupancy_quarters (owner, owner_id, quarter, delta, min_delta, max_delta, area_delta, last_at)
        select ${owner}, cast(${id} as integer), cast(${OLD_MS} as bigint) + i * 3000, 0, 0, 1, 1000, cast(${OLD_MS} as bigint) + i * 3000 from n`.execute(
        tx,
      );
      await tx
        .insertInto('occupancy_counts')
        .values({ owner, owner_id: id, last_count: 0, last_at: NOON_MS - DAY_MS })
        .execute();
    }
    await sql`${numbers} insert into sessions (uid, public_id, account_id, lot_id, zone_id, plate_normalised, entry_type, entry_source_id,
        ended_at, ended_by_look_alike, amount_paid_minor, created_at, updated_at)
      select 'stay ' || i, 'S' || i, cast(${account_id} as integer), cast(${lot_id} as integer), cast(${zone_id} as integer), ${PLATE}, 'lpr_camera', 1,
        cast(${OLD_MS + EMPTY_MS} as bigint) + i * 3000 + 500, 0, 0, cast(${OLD_MS + EMPTY_MS} as bigint) + i * 3000, 1 from n`.execute(
      tx,
    );
    return owner_id;
  });
}
