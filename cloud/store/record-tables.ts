/** Tables of terminals, alerts, keys, displays and weblinks, and of what the REST interface keeps for itself (`schema.ts`). */
import type { Generated } from 'kysely';
import type { Timestamps } from './schema.js';

interface TerminalsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  /** null until it is set. */
  zone_id: number | null;
  /** Unique over all accounts: what the terminal is spoken to by. */
  device_id: string;
  name: string;
  status: 'online' | 'offline';
  type: string;
  is_master: number;
  /** `02:00:00:00:00:01`, or empty. */
  mac: string;
  /** Raw Ed25519 key, base64url; null: its answers cannot be verified. */
  public_key: string | null;
  ip_address: string | null;
  version: string | null;
  pos_serial_number: string | null;
  electronic_device_id: string | null;
  system_currency: string | null;
  last_seen: number | null;
}

interface LicensePlateAlertsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  /** null: all zones of the account. */
  zone_id: number | null;
  name: string;
  min_minutes_between_emails: number;
}

interface AlertPlatesTable extends Timestamps {
  id: Generated<number>;
  license_plate_alert_id: number;
  plate: string;
  plate_normalised: string;
}

interface AlertReceiversTable extends Timestamps {
  id: Generated<number>;
  license_plate_alert_id: number;
  name: string;
  receiver_email: string;
}

/**
 * What a key may do, and until when. Each backs one key log, and one operation key if it was sent to a receiver; all keep its
 * id. The credentials themselves are nowhere: they are derived from the product's master key when they are shown.
 * No foreign key to the product: a token outlives it, as `invalid`.
 */
interface OperationTokensTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  product_id: number;
  start_time: number;
  /** null: open-ended. */
  end_time: number | null;
  status: 'active' | 'expired' | 'blocked' | 'invalid';
  used_count: number;
  is_unlimited: number;
  /**
   * The id in the product's credentials, 31 random bits: what a product denies it by. A key that is given another window, another
   * product or back again gets a new one.
   */
  credential_id: number;
  deleted_at: number | null;
}

interface KeyLogsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  /** null: made without a user (a site file, a public request). */
  sender_id: number | null;
  product_id: number;
  operation_token_id: number;
  receiver_identifier: string;
  receiver_identifier_type: 'email' | 'phone' | 'license_plate';
  /** null unless the receiver is a license plate: cameras that open the product admit it. */
  plate_normalised: string | null;
  /** Never contradicts its token's. */
  status: 'active' | 'reactived' | 'blocked' | 'invalid' | 'deleted' | 'depleted' | 'expired';
  deleted_at: number | null;
}

/** A key that was sent to a receiver. Its key log is that of the same operation token. */
interface OperationKeysTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  sender_id: number | null;
  product_id: number;
  operation_token_id: number;
  receiver_id: number;
  deleted_at: number | null;
}

/** Whom an account has sent keys to. */
interface KeyReceiversTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  /** Lower case. */
  email: string;
  name: string;
}

interface RgbDisplaysTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  lot_id: number;
  /** What is counted; null: the whole lot. */
  zone_id: number | null;
  /** The gateway that writes to it. */
  gateway_id: number | null;
  name: string;
  driver: string;
  address: string;
  /** Shown when nobody knows how full it is. */
  stale_text: string;
}

interface RgbDisplayRulesTable extends Timestamps {
  id: Generated<number>;
  rgb_display_id: number;
  name: string;
  operator: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte' | 'between';
  occupied_value: number;
  /** Of `between` only. */
  occupied_value_to: number | null;
  display_text: string;
  order: number;
  start_time: number | null;
  end_time: number | null;
}

interface WeblinksTable extends Timestamps {
  /** 12 or more of A-Za-z0-9_-: it stands in the link. */
  id: string;
  account_id: number;
  product_id: number;
  /** The key it was sent with: it works no longer than that. null: a link of its own. */
  operation_token_id: number | null;
  name: string;
  /** JSON: operations of the state call. */
  operations: string;
  start_time: number;
  /** null: open-ended. */
  end_time: number | null;
  used_count: number;
  /** The token is derived from id and generation: the next generation is another token. */
  generation: number;
  /** Of the command it gave last; null: none. */
  last_event_id: string | null;
  revoked_at: number | null;
}

/** Who did what. Only appended to; each row holds the hash of the one before (`queries/audit-log.ts`). */
interface AuditLogTable {
  id: Generated<number>;
  /** null: no account's. */
  account_id: number | null;
  /** `operator`: somebody at the machine itself, with the command line. */
  actor_type: 'user' | 'api_token' | 'operator' | 'public' | 'system';
  actor_id: number | null;
  action: string;
  target: string;
  /** JSON. */
  details: string;
  created_at: number;
  /** Hex; 64 zeros in the first row. */
  previous_hash: string;
  hash: string;
}

/** The first answer to a POST with an `Idempotency-Key`, for a repeat. */
interface IdempotencyKeysTable {
  /** `user 5`, `api 3`, `public 192.0.2.7`: who asked. */
  caller: string;
  route: string;
  key: string;
  body_hash: string;
  /** HTTP status; null while the first request is still under way. */
  status: number | null;
  /** JSON text, secrets null. */
  response: string | null;
  created_at: number;
}

/** Which slots at its products a lot has given to gateways, and the highest generation of each: neither is given twice. */
interface GatewaySlotsTable {
  lot_id: number;
  slot: number;
  generation: number;
}

export interface RecordTables {
  terminals: TerminalsTable;
  license_plate_alerts: LicensePlateAlertsTable;
  alert_plates: AlertPlatesTable;
  alert_receivers: AlertReceiversTable;
  operation_tokens: OperationTokensTable;
  key_logs: KeyLogsTable;
  operation_keys: OperationKeysTable;
  key_receivers: KeyReceiversTable;
  rgb_displays: RgbDisplaysTable;
  rgb_display_rules: RgbDisplayRulesTable;
  weblinks: WeblinksTable;
  audit_log: AuditLogTable;
  idempotency_keys: IdempotencyKeysTable;
  gateway_slots: GatewaySlotsTable;
}
