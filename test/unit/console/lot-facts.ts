/** A lot in which everything is well, as REST gives its records. */
import type { GatewayFacts, HealthFacts, LotFacts } from '../../../cloud/console/wording/lot-troubles.js';
import type { ProductFacts } from '../../../cloud/console/wording/product-view.js';

const LONG_AGO = '2025-01-01T00:00:00.000Z';

export const PRODUCT_RECORD: ProductFacts = {
  id: 1,
  name: 'Gate',
  lot_id: 1,
  product_type_id: 2,
  status: 'online',
  is_paired: 1,
  last_seen: '2026-01-15T12:01:00.000Z',
  created_at: LONG_AGO,
  battery_status: 80,
  rssi: -60,
  product_error: null,
  gate: { state: 'closed', permanent_position: 'disabled' },
};

export const NO_ERROR = {
  created_at: LONG_AGO,
  jammed: 0,
  pin_broken: 0,
  sensor_dirty: 0,
  battery_empty: 0,
  rtcc_invalid: 0,
  master_key_not_set: 0,
};

export const GATEWAY_RECORD: GatewayFacts = {
  id: 1,
  name: 'Pi',
  lot_id: 1,
  status: 'online',
  last_seen: null,
  claimed_at: LONG_AGO,
};

export const HEALTH: HealthFacts = {
  alone_since: null,
  token_days_left: 31,
  queue: { depth: 0, oldest_at: null },
  radio: { state: 'on', adapters: [] },
  clock: { is_ok: 1, offset_ms: 0 },
  store: { is_ok: 1 },
};

export const LOT_FACTS: LotFacts = {
  lot: { id: 1, name: 'North', autonomy_days: 31, released_at: null, released_by: null },
  products: [],
  gateways: [],
  healths: new Map(),
  cameras: [],
  zones: [],
  sensors: [],
  silentPlaces: [],
  displays: [],
};
