/** All migrations. A room says its tables in its `*-tables.ts`, and has its later migrations beside it; this lists them. */
import { AUDIT_BASELINE, AUDIT_COUNTS } from './kernel/audit/audit-tables.js';
import { PEER_BASELINE } from './kernel/peers/peer-tables.js';
import { SERVER_KEY_BASELINE } from './kernel/secrets/server-key-tables.js';
import { DATABASE_IDENTITY } from './kernel/store/identity-tables.js';
import { JOURNAL_BASELINE } from './kernel/store/journal-tables.js';
import { IDEMPOTENCY_BASELINE } from './rest/request/idempotency-tables.js';
import { ACCOUNT_BASELINE } from './site/account/account-tables.js';
import { ACCOUNT_LOGOS, FACE_COLUMNS } from './site/face/face-tables.js';
import { API_TOKEN_BASELINE } from './site/api-token/api-token-tables.js';
import { addReleaseOrdered, LOT_BASELINE } from './site/lot/lot-tables.js';
import { MAIL_BASELINE } from './site/mail/mail-tables.js';
import { PLAN_BASELINE } from './site/plan/plan-tables.js';
import { noteFirstUses, SIGN_IN_COLUMNS, USER_TOKEN_BASELINE } from './site/user-token/user-token-tables.js';
import { ZONE_BASELINE } from './site/zone/zone-tables.js';
import { GATEWAY_ASKS } from './equipment/ask/ask-tables.js';
import { CAMERA_BASELINE } from './equipment/camera/camera-tables.js';
import { ANSWERED_COLUMNS, COMMAND_BASELINE } from './equipment/command/command-tables.js';
import { CAUSE_COLUMN, OPENINGS } from './equipment/opening/opening-tables.js';
import { DISPLAY_BASELINE } from './equipment/display/display-tables.js';
import { GATEWAY_DOCTOR_BASELINE } from './equipment/gateway/gateway-doctor-tables.js';
import { GATEWAY_HEALTH_BASELINE } from './equipment/gateway/gateway-health-tables.js';
import { GATEWAY_BASELINE } from './equipment/gateway/gateway-tables.js';
import { addSecretHolders } from './equipment/gateway/secret-holder-tables.js';
import { RECEPTION_BASELINE } from './equipment/gateway/reception-tables.js';
import { SLOT_REVOCATION_BASELINE } from './equipment/gateway/slot-revocation-tables.js';
import { KEY_BASELINE } from './guests/guest-key/key-tables.js';
import { PAIRING_BASELINE } from './equipment/pairing/pairing-tables.js';
import { PLACE_BASELINE } from './equipment/place/place-tables.js';
import { PRODUCT_BASELINE } from './equipment/product/product-tables.js';
import { SIGNAL_BASELINE } from './equipment/product/signal-tables.js';
import { RELEASE_BASELINE } from './equipment/release/release-tables.js';
import { SENSOR_BASELINE } from './equipment/sensor/sensor-tables.js';
import { TERMINAL_BASELINE } from './equipment/terminal/terminal-tables.js';
import { IMAGE_BASELINE } from './traffic/image/image-tables.js';
import { INGEST_BASELINE } from './traffic/ingest/ingest-tables.js';
import { LOT_ENTRY_BASELINE } from './traffic/lot-entry/lot-entry-tables.js';
import { OCCUPANCY_BASELINE } from './traffic/occupancy/occupancy-tables.js';
import { foldArabicPlates } from './traffic/reading/arabic-plate-tables.js';
import { EARLY_LET_INS, HANDLED_COLUMNS } from './traffic/reading/handled-tables.js';
import { READING_BASELINE } from './traffic/reading/reading-tables.js';
import { SESSION_BASELINE } from './traffic/session/session-tables.js';
import { nameVersions, TARIFF_BASELINE } from './traffic/tariff/tariff-tables.js';
import { ALERT_BASELINE } from './guests/alert/alert-tables.js';
import { MEMBER_IMPORTS } from './guests/member/member-import-tables.js';
import { addMemberPlates, MEMBER_BASELINE } from './guests/member/member-tables.js';
import { WEBLINK_BASELINE } from './guests/weblink/weblink-tables.js';
import { WEBHOOK_BASELINE } from './doors/webhook/webhook-tables.js';
import type { Migrations } from './kernel/store/cloud-store.js';
import { addColumns, createTables, inOrder, type Tables } from './kernel/store/create-tables.js';
import { addFoldCase } from './kernel/store/fold-case-function.js';

/** The tables of the first version, by their rooms. */
const BASELINE: readonly Tables[] = [
  AUDIT_BASELINE,
  PEER_BASELINE,
  SERVER_KEY_BASELINE,
  JOURNAL_BASELINE,
  IDEMPOTENCY_BASELINE,
  ACCOUNT_BASELINE,
  API_TOKEN_BASELINE,
  LOT_BASELINE,
  MAIL_BASELINE,
  PLAN_BASELINE,
  USER_TOKEN_BASELINE,
  ZONE_BASELINE,
  CAMERA_BASELINE,
  COMMAND_BASELINE,
  DISPLAY_BASELINE,
  GATEWAY_DOCTOR_BASELINE,
  GATEWAY_HEALTH_BASELINE,
  GATEWAY_BASELINE,
  RECEPTION_BASELINE,
  SLOT_REVOCATION_BASELINE,
  KEY_BASELINE,
  PAIRING_BASELINE,
  PLACE_BASELINE,
  PRODUCT_BASELINE,
  SIGNAL_BASELINE,
  RELEASE_BASELINE,
  SENSOR_BASELINE,
  TERMINAL_BASELINE,
  IMAGE_BASELINE,
  INGEST_BASELINE,
  LOT_ENTRY_BASELINE,
  OCCUPANCY_BASELINE,
  READING_BASELINE,
  SESSION_BASELINE,
  TARIFF_BASELINE,
  ALERT_BASELINE,
  MEMBER_BASELINE,
  WEBLINK_BASELINE,
  WEBHOOK_BASELINE,
];

/** A migration is for ever: a new one, with the next number, changes what those before it made. */
export const MIGRATIONS: Migrations = {
  '0001-baseline': { up: (db) => createTables(db, BASELINE) },
  '0002-release-ordered': { up: addReleaseOrdered },
  '0003-audit-counts': { up: (db) => createTables(db, [AUDIT_COUNTS]) },
  '0004-fold-case': { up: addFoldCase },
  '0005-arabic-plates': { up: foldArabicPlates },
  '0006-database-identity': { up: (db) => createTables(db, [DATABASE_IDENTITY]) },
  '0007-secret-holders': { up: addSecretHolders },
  '0008-journal-leaps': addColumns('journal_heads', { leapt_to: { type: 'bigint', default: 0 } }),
  '0009-member-validity': addColumns('members', { valid_from: 'bigint null', valid_until: 'bigint null' }),
  '0010-handled': {
    async up(db) {
      for (const table of ['sightings', 'plate_readings']) await addColumns(table, HANDLED_COLUMNS).up(db);
      await addColumns('commands', ANSWERED_COLUMNS).up(db);
      await createTables(db, [EARLY_LET_INS]);
    },
  },
  '0011-member-plates': { up: addMemberPlates },
  '0012-money': inOrder(
    addColumns('sessions', {
      price_lines: 'text null',
      discount_reason: 'text null',
      discount_granted_by: 'text null',
      discount_granted_at: 'bigint null',
    }),
    addColumns('session_payments', { reason: 'text null', created_by_name: 'text null' }),
    addColumns('accounts', { attendant_money: { type: 'text', default: 'all' } }),
    addColumns('tariff_versions', { vat: { type: 'text', default: '' }, name: { type: 'text', default: '' } }),
    { up: nameVersions },
  ),
  '0013-gateway-asks': { up: (db) => createTables(db, [GATEWAY_ASKS]) },
  '0014-product-movement': addColumns('products', { last_moved: 'bigint null' }),
  '0015-openings': inOrder({ up: (db) => createTables(db, [OPENINGS]) }, addColumns('commands', CAUSE_COLUMN)),
  '0016-account': inOrder(
    addColumns('user_tokens', SIGN_IN_COLUMNS),
    { up: noteFirstUses },
    addColumns('accounts', FACE_COLUMNS),
    { up: (db) => createTables(db, [ACCOUNT_LOGOS]) },
  ),
  '0017-member-imports': { up: (db) => createTables(db, [MEMBER_IMPORTS]) },
};
