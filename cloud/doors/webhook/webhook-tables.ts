import type { Generated } from 'kysely';
import type { DeliveryColumns } from '../../kernel/delivery/entry.js';
import type { JsonColumn, Tables, Timestamps } from '../../kernel/store/entry.js';
import type { EventName, EventPayload } from '../../../shared/events/event-schemas.js';

interface WebhooksTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  url: string;
  /** The names of the events that are sent to it. */
  events: JsonColumn<EventName[]>;
  /** A webhook that is not active is sent nothing. When it is switched on again, it is not sent the events of the meantime. */
  is_active: number;
  /** HTTP status of the last attempt; null when there was none, or no answer. */
  last_status: number | null;
  /** null while it is active. */
  disabled_at: number | null;
  secret_sealed: string;
  /** The user who made it: it hears of no lot that this user does not have. null: an account's program made it, or the user is gone. */
  account_user_id: Generated<number | null>;
  /** 1: it hears of `webhook_lots` alone; 0: of all lots that its maker has. */
  has_own_lots: Generated<number>;
  /** The journal cursor up to which its deliveries were inserted. */
  cursor: number;
}

/** The lots that its maker had when the webhook was made. */
interface WebhookLotsTable {
  webhook_id: number;
  lot_id: number;
}

/** An event on its way to a webhook, kept for a while after its end. */
interface WebhookDeliveriesTable extends DeliveryColumns {
  webhook_id: number;
  /** The event's id in the journal; of a sample, which is in no journal, the delivery's own id as a negative number. */
  journal_id: number;
  /** The lot of the event; deliveries of one lot are sent one at a time. */
  lot_id: number;
  event: EventName;
  /** A copy of the journal's payload: the journal may delete an event before its delivery is given up. */
  payload: JsonColumn<EventPayload<EventName>>;
  occurred_at: number;
  /** HTTP status of the last attempt; null when it got no answer. */
  status_code: number | null;
  /** A redelivery begins new ones. */
  tries_began_at: number;
}

/** A secret that a webhook had before the present one. */
interface FormerWebhookSecretsTable {
  id: Generated<number>;
  webhook_id: number;
  secret_sealed: string;
  /** Until then deliveries are signed with it too. */
  valid_until: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    webhooks: WebhooksTable;
    webhook_lots: WebhookLotsTable;
    webhook_deliveries: WebhookDeliveriesTable;
    former_webhook_secrets: FormerWebhookSecretsTable;
  }
}

export const WEBHOOK_BASELINE: Tables = {
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
  webhook_lots: {
    columns: {
      webhook_id: { partOf: 'webhooks' },
      // A lot's events may still be on their way when the lot is deleted: the id refers to nothing.
      lot_id: 'integer',
    },
    primaryKey: ['webhook_id', 'lot_id'],
    indices: [['lot_id']],
  },
  webhook_deliveries: {
    columns: {
      id: 'id',
      webhook_id: { partOf: 'webhooks' },
      journal_id: 'bigint',
      lot_id: 'integer',
      event: 'text',
      payload: 'text',
      occurred_at: 'bigint',
      status_code: 'integer null',
      last_error: 'text null',
      attempts: 'integer',
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
  former_webhook_secrets: {
    columns: {
      id: 'id',
      webhook_id: { partOf: 'webhooks' },
      secret_sealed: 'text',
      valid_until: 'bigint',
    },
    indices: [['webhook_id'], ['valid_until']],
  },
};
