/** Counts what needs a person, of all accounts, by the rules of `shared/troubles`: as the console lists it. */
import {
  troublesOfLot,
  troublesOfMails,
  troublesOfWebhook,
  troublesOfZone,
} from '../../../shared/troubles/account-troubles.js';
import {
  troublesOfCamera,
  troublesOfDisplay,
  troublesOfProduct,
  troublesOfSensors,
} from '../../../shared/troubles/equipment-troubles.js';
import { troublesOfGateway } from '../../../shared/troubles/gateway-troubles.js';
import { daysLeft, isCredentialLow } from '../../../shared/troubles/rules.js';
import { type ProductFault, type Trouble, TROUBLE_KINDS, type TroubleKind } from '../../../shared/troubles/trouble.js';
import { PRODUCT_ERRORS } from '../../../shared/wording/gate-sentences.js';
import { groupBy } from '../../../shared/grouping.js';
import { decodeJson } from '../../../shared/json-text-codec.js';
import { isDisplayStale } from '../../equipment/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { DRIFT_AFTER_MS } from '../../site/entry.js';
import {
  claimedGateways,
  doubtfulCameras,
  doubtfulProducts,
  driftingZones,
  parkingGateways,
  releasedLots,
  silentPlaces,
  unsentMails,
  webhooksWithTries,
  writtenDisplays,
} from './trouble-queries.js';

/** @param now wall milliseconds. @returns how many there are of each kind */
export async function countTroubles(db: Db, now: number): Promise<Record<TroubleKind, number>> {
  const found = [
    ...(await releasedLots(db)).map((lot) => troublesOfLot({ ...lot, released_ms: lot.released_at })),
    ...(await doubtfulProducts(db)).map((product) => ofProduct(product, now)),
    ...(await claimedGateways(db)).map((gateway) => ofGateway(gateway, now)),
    ...(await doubtfulCameras(db)).map((camera) => troublesOfCamera({ ...heardOf(camera), clock_behind_s: null }, now)),
    ...(await ofSensors(db, now)),
    ...(await writtenDisplays(db)).map((display) => ofDisplay(display, now)),
    ...(await driftingZones(db, now - DRIFT_AFTER_MS)).map((zone) =>
      troublesOfZone({ ...zone, sensors: null, sessions: 0, drift_since_ms: zone.differs_since }),
    ),
    ...(await webhooksWithTries(db)).map(ofWebhook),
    ...ofMails(await unsentMails(db), now),
  ].flat();
  const counts = Object.fromEntries(TROUBLE_KINDS.map((kind) => [kind, 0])) as Record<TroubleKind, number>;
  for (const { kind } of found) counts[kind] += 1;
  return counts;
}

type RowOf<Query extends (db: Db) => Promise<unknown[]>> = Awaited<ReturnType<Query>>[number];

const heardOf = <Row extends { status: string; last_seen: number | null; created_at: number }>(row: Row) => ({
  ...row,
  is_online: row.status === 'online',
  heard_ms: row.last_seen,
  expected_ms: row.created_at,
});

function ofProduct(row: RowOf<typeof doubtfulProducts>, now: number): Trouble[] {
  const named: ProductFault[] = PRODUCT_ERRORS.filter((error) => row[error] === 1);
  return troublesOfProduct(
    {
      ...heardOf({ ...row, last_seen: row.seen_at }),
      is_paired: row.master_key_sealed !== null,
      unpaired_since_ms: null,
      is_in_error: row.state === 'error',
      errors: row.error_at === null || named.length > 0 ? named : ['other'],
      errors_since_ms: row.error_at,
      battery: row.battery_status,
      clock_off_s: null,
      key_fault: null,
    },
    now,
  );
}

function ofGateway(row: RowOf<typeof claimedGateways>, now: number): Trouble[] {
  const { status, last_seen, claimed_at, health: text, autonomy_days, tokens_end_at } = row;
  const health = text === null ? null : decodeJson(text);
  const days = tokens_end_at === null ? null : daysLeft(tokens_end_at, now);
  const isOnline = status === 'online';
  return troublesOfGateway(
    {
      ...row,
      is_online: isOnline,
      online_ms: last_seen,
      expected_ms: claimed_at ?? now,
      is_configured: null,
      has_products: Boolean(row.has_products),
      is_health_new: isOnline,
      health: health && {
        is_store_failed: !health.store.is_ok,
        radio: health.radio,
        oldest_record_ms: health.queue.oldest_ms,
        is_clock_ok: health.clock.is_ok,
        clock_off_ms: health.clock.offset_ms,
        credentials:
          days === null ? null : { days, is_low: autonomy_days !== null && isCredentialLow(days, autonomy_days) },
      },
    },
    now,
  );
}

async function ofSensors(db: Db, now: number): Promise<Trouble[][]> {
  const silent = groupBy(await silentPlaces(db), ({ parking_gateway_id }) => parking_gateway_id);
  return (await parkingGateways(db)).map((gateway) =>
    troublesOfSensors(
      {
        ...heardOf(gateway),
        problem: null,
        silent: (silent.get(gateway.id) ?? []).map(({ name, stale_since }) => ({ name, since_ms: stale_since })),
      },
      now,
    ),
  );
}

const ofDisplay = (row: RowOf<typeof writtenDisplays>, now: number): Trouble[] =>
  troublesOfDisplay(
    {
      ...row,
      shown_ms: row.shown_at,
      expected_ms: row.created_at,
      is_stale: isDisplayStale(row, now),
      problem: null,
    },
    now,
  );

const ofWebhook = ({ id, is_active, disabled_at, last_status, unanswered_at }: RowOf<typeof webhooksWithTries>) =>
  troublesOfWebhook({
    id,
    name: '',
    is_active: is_active === 1,
    disabled_ms: disabled_at,
    last_status,
    unanswered_ms: unanswered_at,
  });

/** Those of an account are one trouble. */
const ofMails = (rows: RowOf<typeof unsentMails>[], now: number): Trouble[][] =>
  [...groupBy(rows, ({ account_id }) => account_id).values()].map((mails) =>
    troublesOfMails(
      mails.map(({ status, created_at }) => ({ written_ms: created_at, is_over: status === 'failed' })),
      now,
    ),
  );
