import type { Tables, Timestamps } from '../../kernel/store/entry.js';

/** The first answer to a POST with an `Idempotency-Key`, for a repeat. */
interface IdempotencyKeysTable extends Pick<Timestamps, 'created_at'> {
  /** `user 5`, `api 3`, `public 192.0.2.7`: who asked. */
  caller: string;
  route: string;
  key: string;
  body_hash: string;
  /** HTTP status; null while the first request is still under way. */
  status: number | null;
  /** JSON text, sealed, what is shown once null; empty when the answer is not kept. */
  response: string | null;
  /** The version that the answer named; null: none. */
  etag: string | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    idempotency_keys: IdempotencyKeysTable;
  }
}

export const IDEMPOTENCY_BASELINE: Tables = {
  idempotency_keys: {
    columns: {
      caller: 'text',
      route: 'text',
      key: 'text',
      body_hash: 'text',
      status: 'integer null',
      response: 'text null',
      created_at: 'bigint',
      etag: 'text null',
    },
    primaryKey: ['caller', 'route', 'key'],
    indices: [['created_at']],
  },
};
