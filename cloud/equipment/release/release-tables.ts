import type { Flag, Tables, TablesOf } from '../../kernel/store/entry.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof RELEASE_BASELINE> {}
}

export const RELEASE_BASELINE = {
  /** Bundles that were published. Their bytes are files in DATA_DIR/releases. */
  releases: {
    columns: {
      id: 'id',
      /** RAUC's `compatible`: for which devices it is. */
      machine: 'text',
      version: 'text',
      bytes: 'bigint',
      /** Of the whole file, hex. */
      sha256: 'text',
      /** Devices that have this release install nothing older than this version; null: it sets no floor. */
      security_floor: 'text null',
      notes: 'text',
      /** 0: it was published without a keyring; devices check the signature in any case. */
      is_signature_checked: 'integer' as Flag,
      /** 1: no further gateway begins to install it. */
      is_paused: 'integer' as Flag,
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [
      { columns: ['sha256'], isUnique: true },
      { columns: ['machine', 'version'], isUnique: true },
    ],
  },
  /** The part of the gateways that shall have a release. */
  release_rings: {
    columns: {
      id: 'id',
      release_id: { partOf: 'releases' },
      /** Whose gateways; null: those of all accounts. */
      account_id: { partOf: 'accounts', isNullable: true },
      /** 0 to 100. */
      percent: 'integer',
    },
    indices: [['release_id'], ['account_id']],
  },
  /** The wishes of people for the updates of a gateway; without a wish there is no row. */
  gateway_updates: {
    columns: {
      id: 'id',
      gateway_id: { partOf: 'gateways' },
      /** 1: it begins no update. */
      is_paused: 'integer' as Flag,
      /** When somebody last asked for an update without waiting for the lot's hours: wall milliseconds. */
      asked_at: 'bigint null',
    },
    indices: [{ columns: ['gateway_id'], isUnique: true }],
  },
} satisfies Tables;
