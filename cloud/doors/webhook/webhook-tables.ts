import type { Generated } from 'kysely';
import type { DeliveryColumns, JsonColumn, Timestamps } from '../../kernel/entry.js';
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
