import type { Tables, TablesOf } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { KEY_LOG_FIELDS, KEY_RECEIVER_FIELDS, OPERATION_KEY_FIELDS } from './key-log-fields.js';
import type { OPERATION_TOKEN_FIELDS } from './operation-token-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends Pick<TablesOf<typeof KEY_BASELINE>, 'token_denials'> {
    operation_tokens: TableOf<typeof OPERATION_TOKEN_FIELDS>;
    key_logs: TableOf<typeof KEY_LOG_FIELDS>;
    operation_keys: TableOf<typeof OPERATION_KEY_FIELDS>;
    key_receivers: TableOf<typeof KEY_RECEIVER_FIELDS>;
  }
}

export const KEY_BASELINE = {
  operation_tokens: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      product_id: 'integer',
      start_time: 'bigint',
      end_time: 'bigint null',
      status: 'text',
      used_count: 'integer',
      is_unlimited: 'integer',
      credential_id: 'integer',
      deleted_at: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['account_id', 'id'], ['product_id'], ['status', 'end_time']],
  },
  /** A credential that its product has to refuse, although it has not ended: its key was blocked, deleted or given anew. */
  token_denials: {
    columns: {
      id: 'id',
      operation_token_id: { partOf: 'operation_tokens' },
      product_id: 'integer',
      /** Of the token at that time: it may have another one now. */
      credential_id: 'integer',
      /** When the credential ends by itself; null: never. */
      ends_at: 'bigint null',
      /** The generation of the guests' slot that the product is to be raised to instead, because it can deny no further id; null: it denies the id. */
      generation: 'integer null',
      /** The serial of the last admin record that was sent for it; null: none was, or the product refused that one. */
      sent_serial: 'bigint null',
      sent_at: 'bigint null',
      /** How many records were sent for it. */
      sent_count: 'integer',
      /** When the product had confirmed it; null: it is pending. */
      delivered_at: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['operation_token_id'], ['product_id', 'delivered_at']],
  },
  key_logs: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      name: 'text',
      sender_id: 'integer null',
      product_id: 'integer',
      operation_token_id: { partOf: 'operation_tokens' },
      receiver_identifier: 'text',
      receiver_identifier_type: 'text',
      plate_normalised: 'text null',
      status: 'text',
      deleted_at: 'bigint null',
      // A mail is forgotten before its key: the id refers to nothing.
      invitation_mail_id: 'integer null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [
      { columns: ['operation_token_id'], isUnique: true },
      ['account_id', 'id'],
      ['product_id'],
      ['sender_id'],
      ['account_id', 'receiver_identifier'],
    ],
  },
  operation_keys: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      name: 'text',
      sender_id: 'integer null',
      product_id: 'integer',
      operation_token_id: { partOf: 'operation_tokens' },
      receiver_id: { partOf: 'key_receivers' },
      deleted_at: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [
      { columns: ['operation_token_id'], isUnique: true },
      ['account_id', 'id'],
      ['product_id'],
      ['sender_id'],
      ['receiver_id'],
    ],
  },
  key_receivers: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      email: 'text',
      name: 'text',
      locale: 'text null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [{ columns: ['account_id', 'email'], isUnique: true }],
  },
} satisfies Tables;
