import type { StandingEnded } from '../../../shared/gateway-standing.js';
import { createTrigger, type Schema, type Tables, type TablesOf, type Text } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { GATEWAY_FIELDS } from './gateway-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends Omit<TablesOf<typeof GATEWAY_BASELINE>, 'gateways'> {
    gateways: TableOf<typeof GATEWAY_FIELDS>;
  }
}

export const GATEWAY_BASELINE = {
  gateways: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      lot_id: { refersTo: 'lots' },
      uuid: 'text null',
      name: 'text',
      status: 'text',
      agent_version: 'text null',
      last_seen: 'bigint null',
      claim_code_hash: 'text null',
      claim_expires_at: 'bigint null',
      claimed_at: 'bigint null',
      public_key: 'text null',
      mqtt_password_hash: 'text null',
      slot: 'integer',
      slot_generation: 'integer',
      presence_boot_id: 'text null',
      presence_connection: 'integer null',
      claimed_code_hash: 'text null',
      console_password_sealed: 'text null',
      console_password_verifier: 'text null',
      console_password_set_at: 'bigint null',
      device_since: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [
      { columns: ['claim_code_hash'], isUnique: true },
      { columns: ['lot_id', 'slot'], isUnique: true },
      ['account_id'],
      { columns: ['account_id', 'uuid'], isUnique: true },
      // A connecting gateway says no account.
      ['uuid'],
      // Of the gateways with a uuid one can be connected: the one that was claimed.
      { columns: ['uuid'], isUnique: true, where: 'public_key is not null', name: 'gateways_claimed_uuid' },
    ],
    after: noteLotsThatItLeaves,
  },
  /** Deleted gateways that had a uuid: the history names them by it. */
  deleted_gateways: {
    columns: {
      id: 'integer',
      uuid: 'text',
      deleted_at: 'bigint',
    },
    primaryKey: ['id'],
  },
  /** The slots that a lot has given to gateways, with the highest generation of each: slot and generation are never given twice. */
  gateway_slots: {
    columns: {
      lot_id: { partOf: 'lots' },
      slot: 'integer',
      generation: 'integer',
    },
    primaryKey: ['lot_id', 'slot'],
  },
  /** Devices that a gateway was, and is no more. */
  retired_devices: {
    columns: {
      id: 'id',
      account_id: 'integer',
      gateway_id: 'integer',
      lot_id: 'integer null',
      uuid: 'text',
      /** Raw Ed25519 key, base64url. */
      public_key: 'text',
      why: 'text' as Text<StandingEnded>,
      retired_at: 'bigint',
      /** When the device asked and was told; null: it has not come yet. */
      told_at: 'bigint null',
      /** How many records it had not sent then. */
      waiting: 'bigint null',
    },
    indices: [['public_key'], ['account_id']],
  },
  /** Lots that a gateway was in before, the one it left last with the highest id. A trigger writes it. */
  former_gateway_lots: {
    columns: {
      id: 'id',
      gateway_id: { partOf: 'gateways' },
      lot_id: 'integer',
    },
    indices: [{ columns: ['gateway_id', 'lot_id'], isUnique: true }],
  },
} satisfies Tables;

/** A trigger sees every way out of a lot: REST, the site file, and the foreign key when the lot is deleted. */
async function noteLotsThatItLeaves(db: Schema, table: string): Promise<void> {
  await createTrigger(db, {
    name: 'gateways_leave_lot',
    table,
    event: 'after update of lot_id',
    condition: 'old.lot_id is not null and old.lot_id is distinct from new.lot_id',
    body: `
      delete from former_gateway_lots where gateway_id = old.id and lot_id = old.lot_id;
      insert into former_gateway_lots (gateway_id, lot_id) values (old.id, old.lot_id);
    `,
  });
}
