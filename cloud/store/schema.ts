/**
 * The tables of the cloud as Kysely sees them. Times are wall milliseconds (INTEGER/BIGINT), flags 0 or 1, money the currency's
 * minor unit, sets and lists JSON text. What is secret is sealed (AES-256-GCM) or hashed (SHA-256; passwords argon2id).
 */
import type { Generated, Insertable, Selectable } from 'kysely';
import type { RecordTables } from './record-tables.js';

export interface Timestamps {
  created_at: number;
  updated_at: number;
}

interface AccountsTable extends Timestamps {
  id: Generated<number>;
  account_role_id: number;
  name: string;
  auto_extend: number;
  contact_name: string;
  contact_email: string;
  contact_phone: string;
  billing_title: string;
  vat: string;
  address: string;
  city: string;
  zip_code: string;
  infinite_shares: number;
  /** Subscription includes remote control (error 30 without). */
  remote_control: number;
  public_key_requests: number;
}

interface AccountUsersTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  /** 1 Super Admin, 2 Admin, 3 Attendant. */
  account_user_role_id: number;
  /** Lower case, unique over all accounts. */
  email: string;
  name: string;
  phone: string;
  language_tag: string;
  country_code: string;
  email_confirmed: number;
  /** argon2id, PHC text. */
  password_hash: string;
}

interface AccountUserLotsTable {
  account_user_id: number;
  lot_id: number;
}

interface UserTokensTable {
  id: Generated<number>;
  account_user_id: number;
  type: string;
  token_hash: string;
  created_at: number;
}

interface ApiTokensTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  token_hash: string;
}

interface LotsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  address: string;
  timezone: string;
  latitude: number | null;
  longitude: number | null;
  offline_exit: 'open' | 'deny';
  autonomy_days: number;
}

interface ZonesTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  lot_id: number;
  name: string;
  description: string;
  spot_count: number;
  occupancy_max_hours: number;
}

interface TariffsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  currency: string;
  /** Percent, as text. */
  vat: string;
  free_minutes: number;
  /** Minor units of the currency per started step. */
  price_minor: number;
  step_minutes: number;
  daily_max_minor: number | null;
  /** JSON: [{days, start, end, price, step_minutes}]. */
  windows: string;
}

interface ZoneTariffsTable {
  zone_id: number;
  tariff_id: number;
  /** Order in the site file: the first prices. */
  position: number;
}

interface ProductsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  lot_id: number | null;
  zone_id: number | null;
  device_id: string;
  name: string;
  power_type: string;
  product_type_id: number;
  hardware_version: string;
  firmware_version: string;
  latitude: number | null;
  longitude: number | null;
  status: 'online' | 'offline';
  advertisement_data: string;
  battery_status: number | null;
  rssi: number | null;
  /** Pairing epoch ("ep" of the product protocol). */
  pairing_epoch: number;
  /** 32 bytes, sealed; null: not paired yet. */
  master_key_sealed: string | null;
  seen_at: number | null;
}

/** One block per product; which keys are shown depends on the product's type. */
interface ProductBlocksTable extends Timestamps {
  id: Generated<number>;
  product_id: number;
  state: string;
  is_autoclose: number;
  /** Seconds. */
  autoclose_time: number;
  /** Auto-close as it is set: a permanent position hides it in `is_autoclose`. null: never told. */
  autoclose_setting: number | null;
  is_car_on_top: number;
  permanent_position: string;
}

/** The error a product reports now; one row per product, deleted when it reports none. */
interface ProductErrorsTable extends Timestamps {
  id: Generated<number>;
  product_id: number;
  error_code: string;
  jammed: number;
  sensor_dirty: number;
  pin_broken: number;
  rtcc_invalid: number;
  battery_empty: number;
  master_key_not_set: number;
}

interface BoundLicensesTable extends Timestamps {
  id: Generated<number>;
  product_id: number;
  license_plate: string;
  plate_normalised: string;
  name: string;
}

interface MembersTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  description: string;
  email: string;
  license_plate: string;
  plate_normalised: string;
}

interface GroupsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  description: string;
}

interface GroupMembersTable {
  group_id: number;
  member_id: number;
}

interface GroupZonesTable {
  group_id: number;
  zone_id: number;
}

interface GroupTariffsTable {
  group_id: number;
  tariff_id: number;
  position: number;
}

interface GatewaysTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  lot_id: number | null;
  /** null until claimed unless given. */
  uuid: string | null;
  name: string;
  status: 'online' | 'offline';
  agent_version: string | null;
  last_seen: number | null;
  /** SHA-256 of the one-time claim code; stays after its use, so that a repeat is known. */
  claim_code_hash: string | null;
  /** When the code stops working unused; null: never (a code a site file gives). */
  claim_expires_at: number | null;
  claimed_at: number | null;
  /** Raw Ed25519 key, base64url. */
  public_key: string | null;
  mqtt_password_hash: string | null;
  /** 1..15, unique in the lot: the gateway's slot at the products ("product protocol"). */
  slot: number;
  slot_generation: number;
  presence_boot_id: string | null;
  presence_connection: number | null;
}

interface LprCamerasTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  zone_id: number;
  gateway_id: number | null;
  product_id: number | null;
  device_id: string;
  device_serial: string | null;
  name: string;
  driver: string;
  address: string;
  username: string;
  password_sealed: string;
  push_key_sealed: string;
  timezone: string;
  lpr_position: 'in' | 'out' | 'in/out';
  plate_side: 'front' | 'rear';
  /** Seconds. */
  debounce_time: number;
  direction_source: 'reported' | 'position';
  status: string;
  mac: string | null;
  last_seen: number | null;
}

interface PlateReadingsTable extends Timestamps {
  id: Generated<number>;
  /** The gateway's uid; null for readings made over REST. */
  uid: string | null;
  account_id: number;
  lot_id: number;
  zone_id: number;
  gateway_id: number | null;
  lpr_camera_id: number | null;
  plate: string;
  plate_normalised: string;
  raw_plate: string;
  confidence: number | null;
  direction: 'in' | 'out' | 'undefined';
  type: string | null;
  make: string | null;
  color: string | null;
  model: string | null;
  country_code: string | null;
  plate_side: string | null;
  lpr_camera_direction: string | null;
  session_id: number | null;
  access_decision: 'denied' | 'triggered' | null;
  access_decision_reason: string | null;
  vendor_event_id: string | null;
  retransmission: number;
  /** The gateway did not know the time; created_at was placed by its monotonic clock. */
  time_estimated: number;
  opening_event_id: string | null;
  opening_outcome: 'succeeded' | 'failed' | 'unknown' | null;
  opening_error_type: number | null;
  original_plate: string | null;
  corrected_by: number | null;
  corrected_at: number | null;
  /** The highest that was taken; 0: as the camera read it first. */
  refinement: Generated<number>;
}

/** Announced by a read; the bytes arrive later under the storage key. */
interface ImagesTable {
  uid: string;
  account_id: number;
  lot_id: number;
  owner_uid: string;
  role: 'full' | 'cropped';
  created_at: number;
  /** null: not here yet. */
  arrived_at: number | null;
}

interface SightingsTable {
  id: Generated<number>;
  uid: string;
  account_id: number;
  lot_id: number;
  zone_id: number;
  lpr_camera_id: number;
  direction: string;
  created_at: number;
}

interface SessionsTable extends Timestamps {
  id: Generated<number>;
  uid: string;
  public_id: string;
  account_id: number;
  lot_id: number;
  zone_id: number;
  tariff_id: number | null;
  plate_normalised: string;
  entry_reading_id: number | null;
  exit_reading_id: number | null;
  entry_type: string;
  entry_source_id: number;
  exit_type: string | null;
  exit_source_id: number | null;
  ended_at: number | null;
  /** Ended by a plate that only looked alike: its own may still leave. */
  ended_by_look_alike: number;
  /** Minutes; -1 unlimited. */
  discount_time: number | null;
  amount_paid_minor: number;
  possibly_exited: number | null;
}

/** What was paid for a session, one by one; the session keeps the sum. */
interface SessionPaymentsTable {
  id: Generated<number>;
  account_id: number;
  lot_id: number;
  session_id: number;
  /** Minor units of the session's currency. */
  amount_minor: number;
  /** As the payer's system calls it. */
  reference: string | null;
  /** Who took it: `account` or `attendant`. */
  source_type: string;
  source_id: number;
  created_at: number;
}

interface LotEntriesTable extends Timestamps {
  id: Generated<number>;
  plate_reading_id: number;
  account_id: number;
  lot_id: number;
  lpr_camera_id: number;
  direction: 'in' | 'out';
  is_allowed: number;
  related_lot_entry_id: number | null;
  /** Seconds; out entries only. */
  duration: number | null;
  scan_time: number;
}

/** The journal: what was pushed, in order. The id is the cursor. */
interface EventsTable {
  id: Generated<number>;
  account_id: number;
  lot_id: number;
  event: string;
  /** JSON; image links stand as `image:<uid>` and are signed when sent. */
  payload: string;
  created_at: number;
}

interface IngestCursorsTable {
  gateway_id: number;
  epoch: string;
  lane: number;
  seq: number;
  updated_at: number;
}

interface IngestUidsTable {
  uid: string;
  gateway_id: number;
  created_at: number;
}

interface DeadLettersTable {
  id: Generated<number>;
  gateway_id: number;
  epoch: string;
  lane: number;
  seq: number;
  uid: string;
  reason: string;
  payload: string;
  created_at: number;
}

/** Records that name a uid not there yet; applied when it comes. */
interface ParkedRecordsTable {
  uid: string;
  gateway_id: number;
  waits_for_uid: string;
  record: string;
  created_at: number;
}

/** Records a gateway gave up at its bounds. */
interface LostRecordsTable {
  id: Generated<number>;
  gateway_id: number;
  epoch: string;
  lane: number;
  from_seq: number;
  to_seq: number;
  created_at: number;
}

/** A command of a person: accepted, so that it always ends. */
interface CommandsTable {
  event_id: string;
  account_id: number;
  lot_id: number | null;
  product_id: number;
  /** Of the vocabulary of the state call, `settings`, or `pair`. */
  operation: string;
  /** JSON of OrderedCommand. */
  command: string;
  status: 'pending' | 'succeeded' | 'failed';
  /** A number as text, or `Timeout`; null unless failed. */
  gateway_error_type: string | null;
  created_at: number;
  ended_at: number | null;
}

/** One gateway's try at a command, strongest signal first. */
interface CommandAttemptsTable {
  id: Generated<number>;
  event_id: string;
  gateway_id: number;
  rssi: number | null;
  started_at: number;
  ended_at: number | null;
  /** `succeeded`, `failed:<type>`, `timeout`, `offline`, `late`; null while it runs. */
  outcome: string | null;
}

/** A master key that a product was offered: its own once it confirms it, or proves by an advertisement that it holds it. */
interface PendingPairingsTable {
  product_id: number;
  /** The product's pairing_epoch then. */
  epoch: number;
  /** The command that asked for it. */
  event_id: string;
  /** Sealed as the product's. */
  master_key_sealed: string;
  created_at: number;
}

interface ParkingGatewaysTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  lot_id: number;
  /** The gateway that polls it. */
  gateway_id: number | null;
  name: string;
  driver: string;
  address: string;
  unit: number | null;
  poll_ms: number;
  heartbeat_s: number;
  /** JSON of RegisterConfig, or null. */
  register: string | null;
  application: string | null;
  status: 'online' | 'offline';
  last_seen: number | null;
}

interface ParkingPlacesTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  lot_id: number;
  zone_id: number;
  name: string;
  occupancy_status: 'free' | 'occupied';
  /** null: no sensor. */
  parking_gateway_id: number | null;
  sensor: string | null;
  codec: string | null;
  occupied_below_mm: number | null;
  hysteresis_mm: number | null;
  /** When the sensor last told a change; null: never. */
  changed_at: number | null;
}

interface WebhooksTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  url: string;
  /** JSON: the names of the events it is told. */
  events: string;
  /** One that is not active is told nothing, later neither. */
  is_active: number;
  /** HTTP status of the last attempt; null when there was none, or no answer. */
  last_status: number | null;
  /** null while it is active. */
  disabled_at: number | null;
  secret_sealed: string;
  /** The journal's id up to which its deliveries were made. */
  cursor: number;
}

/** An event on its way to a webhook, kept for a while after its end. */
interface WebhookDeliveriesTable {
  id: Generated<number>;
  webhook_id: number;
  /** The event's id in the journal. */
  journal_id: number;
  /** As in the journal; within a lot one is sent at a time. */
  lot_id: number;
  event: string;
  /** As in the journal: the journal forgets sooner than a delivery is given up. */
  payload: string;
  occurred_at: number;
  /** HTTP status of the last attempt; null when it got no answer. */
  status_code: number | null;
  /** Why the last attempt failed. */
  error: string | null;
  /** Attempts so far. */
  attempt: number;
  /** When the tries began that go on now; a redelivery begins new ones. */
  tries_began_at: number;
  next_attempt_at: number;
  /** While an attempt is made: when it is taken for lost with its process. */
  lease_ends_at: number | null;
  /** null: it is still tried. */
  ended_at: number | null;
  created_at: number;
}

export interface Database extends RecordTables {
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
  commands: CommandsTable;
  pending_pairings: PendingPairingsTable;
  command_attempts: CommandAttemptsTable;
  parking_gateways: ParkingGatewaysTable;
  parking_places: ParkingPlacesTable;
  accounts: AccountsTable;
  account_users: AccountUsersTable;
  account_user_lots: AccountUserLotsTable;
  user_tokens: UserTokensTable;
  api_tokens: ApiTokensTable;
  lots: LotsTable;
  zones: ZonesTable;
  tariffs: TariffsTable;
  zone_tariffs: ZoneTariffsTable;
  products: ProductsTable;
  product_blocks: ProductBlocksTable;
  product_errors: ProductErrorsTable;
  bound_licenses: BoundLicensesTable;
  members: MembersTable;
  groups: GroupsTable;
  group_members: GroupMembersTable;
  group_zones: GroupZonesTable;
  group_tariffs: GroupTariffsTable;
  gateways: GatewaysTable;
  lpr_cameras: LprCamerasTable;
  plate_readings: PlateReadingsTable;
  images: ImagesTable;
  sightings: SightingsTable;
  sessions: SessionsTable;
  session_payments: SessionPaymentsTable;
  lot_entries: LotEntriesTable;
  events: EventsTable;
  ingest_cursors: IngestCursorsTable;
  ingest_uids: IngestUidsTable;
  dead_letters: DeadLettersTable;
  parked_records: ParkedRecordsTable;
  lost_records: LostRecordsTable;
}

export type Row<Table extends keyof Database> = Selectable<Database[Table]>;
export type NewRow<Table extends keyof Database> = Insertable<Database[Table]>;
