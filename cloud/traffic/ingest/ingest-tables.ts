import type { JsonColumn, Tables, TablesOf, Text } from '../../kernel/store/entry.js';
import type { EarlyRecord } from './read/kept-record-codec.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof INGEST_BASELINE> {}
}

export const INGEST_BASELINE = {
  ingest_cursors: {
    columns: {
      gateway_id: { partOf: 'gateways' },
      epoch: 'text',
      lane: 'integer',
      seq: 'bigint',
      updated_at: 'bigint',
    },
    primaryKey: ['gateway_id', 'epoch', 'lane'],
  },
  ingest_uids: {
    columns: {
      uid: 'key',
      gateway_id: 'integer',
      created_at: 'bigint',
    },
    indices: [['created_at']],
  },
  dead_letters: {
    columns: {
      id: 'id',
      gateway_id: 'integer',
      epoch: 'text',
      lane: 'integer',
      seq: 'bigint',
      uid: 'text',
      reason: 'text',
      payload: 'text',
      created_at: 'bigint',
    },
    indices: [['gateway_id', 'id']],
  },
  /** Records that name a uid that the cloud does not have yet; they are applied when the record with that uid comes. */
  early_records: {
    columns: {
      uid: 'key',
      gateway_id: 'integer',
      waits_for_uid: 'text',
      record: 'text' as Text<JsonColumn<EarlyRecord>>,
      created_at: 'bigint',
    },
    indices: [['waits_for_uid']],
  },
  /** Records that a gateway gave up at the bounds of its outbox. */
  lost_records: {
    columns: {
      id: 'id',
      gateway_id: 'integer',
      epoch: 'text',
      lane: 'integer',
      from_seq: 'bigint',
      to_seq: 'bigint',
      created_at: 'bigint',
    },
    indices: [['gateway_id', 'id']],
  },
} satisfies Tables;
