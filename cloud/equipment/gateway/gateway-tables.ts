import type { Generated } from 'kysely';
import type { PasswordVerifier } from '../../../shared/gateway-config.js';
import type { StandingEnded } from '../../../shared/gateway-standing.js';
import { createTrigger, type JsonColumn, type Schema, type Tables, type Timestamps } from '../../kernel/store/entry.js';

interface GatewaysTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  lot_id: number | null;
  /** null until the gateway is claimed, unless the operator gave one. */
  uuid: string | null;
  name: string;
  status: 'online' | 'offline';
  agent_version: string | null;
  last_seen: number | null;
  /** SHA-256 of the one-time claim code. It is kept after the use of the code, so that a repeat is recognised. */
  claim_code_hash: string | null;
  /** When an unused code ends; null: never (a code from a site file). */
  claim_expires_at: number | null;
  /** 1: the secrets of its things go along to the device that uses the code. */
  claim_keeps_secrets: Generated<number>;
  claimed_at: number | null;
  /** When the present device was claimed first; another claim of the same device does not change it. */
  device_since: number | null;
  /** The hash of the code by which the present device was claimed: its broker password is made of it. */
  claimed_code_hash: string | null;
  /** Raw Ed25519 key, base64url. */
  public_key: string | null;
  mqtt_password_hash: string | null;
  /** The gateway's slot at the products (product protocol): 1 to 15, unique in the lot. */
  slot: number;
  slot_generation: number;
  presence_boot_id: string | null;
  presence_connection: number | null;
  /** The password for its local console, sealed; null: it has none. */
  console_password_sealed: string | null;
  console_password_verifier: JsonColumn<PasswordVerifier, null>;
  console_password_set_at: number | null;
}

/** The slots that a lot has given to gateways, with the highest generation of each: slot and generation are never given twice. */
interface GatewaySlotsTable {
  lot_id: number;
  slot: number;
  generation: number;
}

/** Lots that a gateway was in before, the one it left last with the highest id. A trigger writes it. */
interface FormerGatewayLotsTable {
  id: Generated<number>;
  gateway_id: number;
  lot_id: number;
}

/** Devices that a gateway was, and is no more. */
interface RetiredDevicesTable {
  id: Generated<number>;
  account_id: number;
  gateway_id: number;
  lot_id: number | null;
  uuid: string;
  /** Raw Ed25519 key, base64url. */
  public_key: string;
  why: StandingEnded;
  retired_at: number;
  /** When the device asked and was told; null: it has not come yet. */
  told_at: number | null;
  /** How many records it had not sent then. */
  waiting: number | null;
}

/** Deleted gateways that had a uuid: the history names them by it. */
interface DeletedGatewaysTable {
  id: number;
  uuid: string;
  deleted_at: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    gateways: GatewaysTable;
    deleted_gateways: DeletedGatewaysTable;
    gateway_slots: GatewaySlotsTable;
    retired_devices: RetiredDevicesTable;
    former_gateway_lots: FormerGatewayLotsTable;
  }
}

export const GATEWAY_BASELINE: Tables = {
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
  deleted_gateways: {
    columns: {
      id: 'integer',
      uuid: 'text',
      deleted_at: 'bigint',
    },
    primaryKey: ['id'],
  },
  gateway_slots: {
    columns: {
      lot_id: { partOf: 'lots' },
      slot: 'integer',
      generation: 'integer',
    },
    primaryKey: ['lot_id', 'slot'],
  },
  retired_devices: {
    columns: {
      id: 'id',
      account_id: 'integer',
      gateway_id: 'integer',
      lot_id: 'integer null',
      uuid: 'text',
      public_key: 'text',
      why: 'text',
      retired_at: 'bigint',
      told_at: 'bigint null',
      waiting: 'bigint null',
    },
    indices: [['public_key'], ['account_id']],
  },
  former_gateway_lots: {
    columns: {
      id: 'id',
      gateway_id: { partOf: 'gateways' },
      lot_id: 'integer',
    },
    indices: [{ columns: ['gateway_id', 'lot_id'], isUnique: true }],
  },
};

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
