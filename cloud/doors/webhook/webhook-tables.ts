import type { JsonColumn, Tables, TablesOf, Text } from '../../kernel/store/entry.js';
import type { EventName, EventPayload } from '../../../shared/events/event-schemas.js';
import type { TableOf } from '../../rest/entry.js';
import type { WEBHOOK_FIELDS } from './webhook-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends Omit<TablesOf<typeof WEBHOOK_BASELINE>, 'webhooks'> {
    webhooks: TableOf<typeof WEBHOOK_FIELDS>;
  }
}

export const WEBHOOK_BASELINE = {
  webhooks: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      url: 'text',
      events: 'text',
      is_active: 'integer',
      last_status: 'integer null',
      disabled_at: 'bigint null',
      secret_sealed: 'text',
      cursor: 'bigint',
      has_own_lots: { type: 'integer', default: 0 },
      account_user_id: { refersTo: 'account_users' },
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['account_id']],
  },
  /** The lots that its maker had when the webhook was made. */
  webhook_lots: {
    columns: {
      webhook_id: { partOf: 'webhooks' },
      // A lot's events may still be on their way when the lot is deleted: the id refers to nothing.
      lot_id: 'integer',
    },
    primaryKey: ['webhook_id', 'lot_id'],
    indices: [['lot_id']],
  },
  /** An event on its way to a webhook, kept for a while after its end. */
  webhook_deliveries: {
    columns: {
      id: 'id',
      webhook_id: { partOf: 'webhooks' },
      /** The event's id in the journal; of a sample, which is in no journal, the delivery's own id as a negative number. */
      journal_id: 'bigint',
      /** The lot of the event; deliveries of one lot are sent one at a time. */
      lot_id: 'integer',
      event: 'text' as Text<EventName>,
      /** A copy of the journal's payload: the journal may delete an event before its delivery is given up. */
      payload: 'text' as Text<JsonColumn<EventPayload<EventName>>>,
      occurred_at: 'bigint',
      /** HTTP status of the last attempt; null when it got no answer. */
      status_code: 'integer null',
      last_error: 'text null',
      attempts: 'integer',
      /** A redelivery begins new ones. */
      tries_began_at: 'bigint',
      next_attempt_at: 'bigint',
      lease_ends_at: 'bigint null',
      ended_at: 'bigint null',
      created_at: 'bigint',
    },
    indices: [
      { columns: ['webhook_id', 'journal_id'], isUnique: true },
      // There is no index of ended_at, because SQLite would use it for every query of open rows.
      ['created_at'],
      { columns: ['webhook_id', 'next_attempt_at'], where: 'ended_at is null' },
      { columns: ['webhook_id', 'lot_id', 'next_attempt_at'], where: 'ended_at is null' },
      { columns: ['next_attempt_at'], where: 'ended_at is null' },
      { columns: ['lease_ends_at'], where: 'ended_at is null' },
      ['webhook_id', 'id'],
    ],
  },
  /** A secret that a webhook had before the present one. */
  former_webhook_secrets: {
    columns: {
      id: 'id',
      webhook_id: { partOf: 'webhooks' },
      secret_sealed: 'text',
      /** Until then deliveries are signed with it too. */
      valid_until: 'bigint',
    },
    indices: [['webhook_id'], ['valid_until']],
  },
} satisfies Tables;
