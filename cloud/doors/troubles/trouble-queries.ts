/** Reads the rows that may have troubles: `count-troubles.ts` judges them. What is surely well is not read. */
import { BATTERY_LOW_PERCENT } from '../../../shared/troubles/rules.js';
import type { Db } from '../../kernel/store/entry.js';

export const releasedLots = (db: Db) =>
  db
    .selectFrom('lots')
    .select(['id', 'name', 'released_at', 'released_by'])
    .where('released_at', 'is not', null)
    .execute();

export const doubtfulProducts = (db: Db) =>
  db
    .selectFrom('products')
    .leftJoin('product_blocks as block', 'block.product_id', 'products.id')
    .leftJoin('product_errors as error', 'error.product_id', 'products.id')
    .select([
      'products.id',
      'products.name',
      'products.status',
      'products.battery_status',
      'products.master_key_sealed',
      'products.seen_at',
      'products.created_at',
      'block.state',
      'error.created_at as error_at',
      'error.jammed',
      'error.pin_broken',
      'error.sensor_dirty',
      'error.battery_empty',
      'error.rtcc_invalid',
      'error.master_key_not_set',
    ])
    .where((eb) =>
      eb.or([
        eb('products.status', '=', 'offline'),
        eb('products.master_key_sealed', 'is', null),
        eb('products.battery_status', '<=', BATTERY_LOW_PERCENT),
        eb('block.state', '=', 'error'),
        eb('error.id', 'is not', null),
      ]),
    )
    .execute();

export const claimedGateways = (db: Db) =>
  db
    .selectFrom('gateways')
    .leftJoin('gateway_health as reported', 'reported.gateway_id', 'gateways.id')
    .leftJoin('lots', 'lots.id', 'gateways.lot_id')
    .select([
      'gateways.id',
      'gateways.name',
      'gateways.status',
      'gateways.last_seen',
      'gateways.claimed_at',
      'lots.autonomy_days',
      'reported.health',
      'reported.tokens_end_at',
    ])
    .select(({ selectFrom, exists }) =>
      exists(selectFrom('products').select('products.id').whereRef('products.lot_id', '=', 'gateways.lot_id')).as(
        'has_products',
      ),
    )
    .where('gateways.claimed_at', 'is not', null)
    .execute();

export const doubtfulCameras = (db: Db) =>
  db
    .selectFrom('lpr_cameras')
    .select(['id', 'name', 'status', 'problem', 'last_seen', 'created_at'])
    .where((eb) => eb.or([eb('status', '!=', 'online'), eb('problem', 'is not', null)]))
    .execute();

export const parkingGateways = (db: Db) =>
  db.selectFrom('parking_gateways').select(['id', 'name', 'status', 'last_seen', 'created_at']).execute();

export const silentPlaces = (db: Db) =>
  db
    .selectFrom('parking_places')
    .select(['id', 'name', 'parking_gateway_id', 'stale_since'])
    .where('stale_since', 'is not', null)
    .where('parking_gateway_id', 'is not', null)
    .where('sensor', 'is not', null)
    .execute();

export const writtenDisplays = (db: Db) =>
  db
    .selectFrom('rgb_displays')
    .select(['id', 'name', 'shown_at', 'shown_is_stale', 'created_at'])
    .where('driver', '!=', '')
    .where('gateway_id', 'is not', null)
    .execute();

/** @param before wall milliseconds */
export const driftingZones = (db: Db, before: number) =>
  db
    .selectFrom('zone_drifts')
    .innerJoin('zones', 'zones.id', 'zone_drifts.zone_id')
    .select(['zones.id', 'zones.name', 'zone_drifts.differs_since'])
    .where('zone_drifts.differs_since', '<=', before)
    .execute();

/** With the last try that nobody answered, of those that have no status. */
export const webhooksWithTries = (db: Db) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'is_active', 'disabled_at', 'last_status'])
    .select(({ selectFrom }) =>
      selectFrom('webhook_deliveries')
        .select(({ fn }) => fn.max<number | null>('webhook_deliveries.created_at').as('at'))
        .whereRef('webhook_deliveries.webhook_id', '=', 'webhooks.id')
        .where('webhooks.last_status', 'is', null)
        .where('webhook_deliveries.status_code', 'is', null)
        .where('webhook_deliveries.last_error', 'is not', null)
        .as('unanswered_at'),
    )
    .execute();

export const unsentMails = (db: Db) =>
  db
    .selectFrom('mails')
    .select(['account_id', 'status', 'created_at'])
    .where('status', '!=', 'sent')
    .where('last_error', 'is not', null)
    .execute();
