import type { Generated } from 'kysely';
import type { JsonColumn, Tables } from '../../kernel/store/entry.js';
import type { EarlyRecord } from './read/kept-record-codec.js';

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

/** Records that name a uid that the cloud does not have yet; they are applied when the record with that uid comes. */
interface EarlyRecordsTable {
  uid: string;
  gateway_id: number;
  waits_for_uid: string;
  record: JsonColumn<EarlyRecord>;
  created_at: number;
}

/** Records that a gateway gave up at the bounds of its outbox. */
interface LostRecordsTable {
  id: Generated<number>;
  gateway_id: number;
  epoch: string;
  lane: number;
  from_seq: number;
  to_seq: number;
  created_at: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    ingest_cursors: IngestCursorsTable;
    ingest_uids: IngestUidsTable;
    dead_letters: DeadLettersTable;
    early_records: EarlyRecordsTable;
    lost_records: LostRecordsTable;
  }
}

export const INGEST_BASELINE: Tables = {
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
  early_records: {
    columns: {
      uid: 'key',
      gateway_id: 'integer',
      waits_for_uid: 'text',
      record: 'text',
      created_at: 'bigint',
    },
    indices: [['waits_for_uid']],
  },
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
};
