/** Reads what batches are compared with. */
import { expressionBuilder, sql } from 'kysely';
import { groupBy, keyBy, pushTo } from '../../../shared/grouping.js';
import type { Lane, OutboxEpoch } from '../../../shared/uplink.js';
import type { Database, Db, Row } from '../../kernel/store/entry.js';
import { type LaneKey, laneText } from './ingest-queries.js';

/** A gateway that sends records. */
export type Sender = Pick<Row<'gateways'>, 'id' | 'account_id' | 'lot_id' | 'device_since'> & { uuid: string };

/** The rows known of the senders of batches, and by the uids in the batches. */
export interface Known {
  /** By uuid. */
  senders: Map<string, Sender>;
  /** By sender: its lot, and those that it was in, the latest first. */
  lots: Map<number, number[]>;
  /** By lot, for how many days its gateways may act alone; a lot that was deleted since is left out. */
  autonomyDays: Map<number, number>;
  /** The last committed seq of a lane of a sender; 0 for one that never came. */
  cursorOf(key: LaneKey): number;
  /** uids of records that came before, in any outbox epoch. */
  uids: Set<string>;
  readings: ReadonlyMap<string, { id: number; gateway_id: number | null }>;
  images: ReadonlyMap<string, Pick<Row<'images'>, 'owner_uid' | 'lot_id'>>;
  /** Records of the senders that wait for a uid, the oldest first. */
  early: ReadonlyMap<string, Row<'early_records'>[]>;
}

/** A row of one of several tables. What a column means depends on the table. */
interface KnownRow {
  what: 'sender' | 'claim' | 'former' | 'autonomy' | 'cursor' | 'uid' | 'reading' | 'image' | 'early';
  id: number;
  n: number;
  m: number | null;
  text: string;
  other: string | null;
  more: string;
}

/** Reads all of it by one statement: each look-up is quick, but each statement costs a round trip to the database. */
export async function loadKnown(
  db: Db,
  wanted: { uuids: readonly string[]; epochs: readonly string[]; uids: readonly string[] },
): Promise<Known> {
  const eb = expressionBuilder<Database, keyof Database>();
  const { uuids, epochs, uids } = wanted;
  const ofSenders = sql`gateway_id in (select id from senders)`;
  const { rows } = await sql<KnownRow>`
    with senders as (select id, account_id, lot_id, uuid, public_key, device_since from gateways where ${eb('gateways.uuid', 'in', uuids)})
    select 'sender' as what, id, account_id as n, lot_id as m, uuid as text, public_key as other, cast(null as text) as more from senders
    union all select 'claim', id, device_since, null, null, null, null from senders where device_since is not null
    union all select 'autonomy', id, autonomy_days, null, null, null, null from lots
      where id in (select lot_id from senders) or id in (select lot_id from former_gateway_lots where ${ofSenders})
    union all select 'former', gateway_id, lot_id, id, null, null, null from former_gateway_lots where ${ofSenders}
    union all select 'cursor', gateway_id, seq, lane, epoch, null, null
      from ingest_cursors where ${ofSenders} and ${eb('ingest_cursors.epoch', 'in', epochs)}
    union all select 'uid', null, null, null, uid, null, null from ingest_uids where ${eb('ingest_uids.uid', 'in', uids)}
    union all select 'reading', id, null, gateway_id, uid, null, null
      from plate_readings where ${eb('plate_readings.uid', 'in', uids)}
    union all select 'image', null, lot_id, null, uid, owner_uid, null from images where ${eb('images.uid', 'in', uids)}
    union all select 'early', gateway_id, created_at, null, waits_for_uid, uid, record
      from early_records where ${ofSenders} and ${eb('early_records.waits_for_uid', 'in', uids)}`.execute(db);
  return knownOf(groupBy(rows, ({ what }) => what));
}

function knownOf(rows: ReadonlyMap<KnownRow['what'], KnownRow[]>): Known {
  const of = (what: KnownRow['what']): KnownRow[] => rows.get(what) ?? [];
  // Several gateways may have been entered with one uuid: the one that was claimed counts, else the first.
  const senders = of('sender').toSorted((a, b) => Number(a.other === null) - Number(b.other === null) || a.id - b.id);
  const lots = new Map<number, number[]>();
  for (const { id, m: lot_id } of senders) if (lot_id !== null) lots.set(id, [lot_id]);
  for (const { id, n: lot_id } of of('former').toSorted((a, b) => (b.m ?? 0) - (a.m ?? 0))) {
    if (!lots.get(id)?.includes(lot_id)) pushTo(lots, id, lot_id);
  }
  const seqs = new Map(
    of('cursor').map(({ id, n: seq, m, text }) => {
      return [laneText({ gateway_id: id, epoch: text as OutboxEpoch, lane: m as Lane }), seq];
    }),
  );
  const early = new Map<string, Row<'early_records'>[]>();
  for (const { id: gateway_id, n: created_at, text: waits_for_uid, other, more } of of('early').toSorted(byAge)) {
    // Its text is parsed where it is used.
    const record = more as Row<'early_records'>['record'];
    pushTo(early, waits_for_uid, { uid: other ?? '', gateway_id, waits_for_uid, record, created_at });
  }
  const claims = new Map(of('claim').map(({ id, n: device_since }) => [id, Number(device_since)]));
  return {
    senders: keyBy(
      senders.toReversed().map(({ id, n: account_id, m: lot_id, text: uuid }) => {
        return { id, account_id, lot_id, uuid, device_since: claims.get(id) ?? null };
      }),
      ({ uuid }) => uuid,
    ),
    lots,
    autonomyDays: new Map(of('autonomy').map(({ id, n: days }) => [id, Number(days)])),
    cursorOf: (key) => seqs.get(laneText(key)) ?? 0,
    uids: new Set(of('uid').map(({ text }) => text)),
    readings: new Map(of('reading').map(({ id, m: gateway_id, text }) => [text, { id, gateway_id }])),
    images: new Map(of('image').map(({ n: lot_id, text, other }) => [text, { owner_uid: other ?? '', lot_id }])),
    early,
  };
}

const byAge = (a: KnownRow, b: KnownRow): number => a.n - b.n || ((a.other ?? '') < (b.other ?? '') ? -1 : 1);
