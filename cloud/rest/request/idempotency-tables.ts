import type { Tables, TablesOf } from '../../kernel/store/entry.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof IDEMPOTENCY_BASELINE> {}
}

export const IDEMPOTENCY_BASELINE = {
  /** The first answer to a POST with an `Idempotency-Key`, for a repeat. */
  idempotency_keys: {
    columns: {
      /** `user 5`, `api 3`, `public 192.0.2.7`: who asked. */
      caller: 'text',
      route: 'text',
      key: 'text',
      body_hash: 'text',
      /** HTTP status; null while the first request is still under way. */
      status: 'integer null',
      /** JSON text, sealed, what is shown once null; empty when the answer is not kept. */
      response: 'text null',
      created_at: 'bigint',
      /** The version that the answer named; null: none. */
      etag: 'text null',
    },
    primaryKey: ['caller', 'route', 'key'],
    indices: [['created_at']],
  },
} satisfies Tables;
