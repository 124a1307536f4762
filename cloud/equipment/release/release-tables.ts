import type { Generated } from 'kysely';
import type { Tables, Timestamps } from '../../kernel/store/entry.js';

/** Bundles that were published. Their bytes are files in DATA_DIR/releases. */
interface ReleasesTable extends Timestamps {
  id: Generated<number>;
  /** RAUC's `compatible`: for which devices it is. */
  machine: string;
  version: string;
  bytes: number;
  /** Of the whole file, hex. */
  sha256: string;
  /** Devices that have this release install nothing older than this version; null: it sets no floor. */
  security_floor: string | null;
  notes: string;
  /** 0: it was published without a keyring; devices check the signature in any case. */
  is_signature_checked: 0 | 1;
  /** 1: no further gateway begins to install it. */
  is_paused: 0 | 1;
}

/** The part of the gateways that shall have a release. */
interface ReleaseRingsTable {
  id: Generated<number>;
  release_id: number;
  /** Whose gateways; null: those of all accounts. */
  account_id: number | null;
  /** 0 to 100. */
  percent: number;
}

/** The wishes of people for the updates of a gateway; without a wish there is no row. */
interface GatewayUpdatesTable {
  id: Generated<number>;
  gateway_id: number;
  /** 1: it begins no update. */
  is_paused: 0 | 1;
  /** When somebody last asked for an update without waiting for the lot's hours: wall milliseconds. */
  asked_at: number | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    releases: ReleasesTable;
    release_rings: ReleaseRingsTable;
    gateway_updates: GatewayUpdatesTable;
  }
}

export const RELEASE_BASELINE: Tables = {
  releases: {
    columns: {
      id: 'id',
      machine: 'text',
      version: 'text',
      bytes: 'bigint',
      sha256: 'text',
      security_floor: 'text null',
      notes: 'text',
      is_signature_checked: 'integer',
      is_paused: 'integer',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [
      { columns: ['sha256'], isUnique: true },
      { columns: ['machine', 'version'], isUnique: true },
    ],
  },
  release_rings: {
    columns: {
      id: 'id',
      release_id: { partOf: 'releases' },
      account_id: { partOf: 'accounts', isNullable: true },
      percent: 'integer',
    },
    indices: [['release_id'], ['account_id']],
  },
  gateway_updates: {
    columns: {
      id: 'id',
      gateway_id: { partOf: 'gateways' },
      is_paused: 'integer',
      asked_at: 'bigint null',
    },
    indices: [{ columns: ['gateway_id'], isUnique: true }],
  },
};
