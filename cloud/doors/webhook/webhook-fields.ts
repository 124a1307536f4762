/** What is known of a webhook and of its deliveries. */
import { z } from 'zod';
import { EVENT_SCHEMAS, type EventName } from '../../../shared/events/event-schemas.js';
import { decodeJson, type JsonText } from '../../../shared/json-text-codec.js';
import {
  computed,
  flagField,
  id,
  identity,
  inner,
  jsonColumn,
  oneLine,
  required,
  shown,
  shownAs,
  TIME,
  TIME_OR_NULL,
  TIMES,
  withDefault,
} from '../../rest/entry.js';
import { WEBHOOK_URL_CHARS_MAX } from './webhook-url.js';

export const EVENT_NAMES = Object.keys(EVENT_SCHEMAS) as [EventName, ...EventName[]];

/** Writes each event once. */
export const eventsColumn = (events: readonly EventName[]): string => JSON.stringify([...new Set(events)]);

export const WEBHOOK_FIELDS = {
  id: identity,
  account_id: inner({ partOf: 'accounts' }),
  /** `webhook-resource.ts` says which addresses it may be. */
  url: required(oneLine(z.string().max(WEBHOOK_URL_CHARS_MAX)), {
    form: shownAs(z.string().nullable()),
    says: 'The address to which events are posted; null for Attendants and for Admins who lack a lot of the webhook, because an address may hold a secret.',
  }),
  events: withDefault(z.array(z.enum(EVENT_NAMES)).min(1).max(1_000), EVENT_NAMES, {
    columns: { events: jsonColumn<EventName[]>(eventsColumn) },
    read: ({ events }) => decodeJson(events as JsonText<EventName[]>),
    says: 'The names of the events that are sent.',
  }),
  /**
   * A webhook that is not active is sent nothing. When it is switched on again, it is not sent the events of the meantime. The hooks of the
   * resource write it and not the endpoints, because deliveries depend on it.
   */
  is_active: { ...flagField(1, { says: 'Whether it is switched on: 1 or 0.' }), columns: {} },
  last_status: shown(z.number().int().nullable(), {
    says: 'The HTTP status of the last call; null before the first, or when nobody answered.',
  }),
  disabled_at: shown(TIME_OR_NULL, {
    says: 'When it was switched off because its receiver answered 410; null while it was not.',
  }),
  secret_sealed: inner('text'),
  /** The user who made it: it hears of no lot that this user does not have. null: an account's program made it, or the user is gone. */
  account_user_id: inner({ refersTo: 'account_users' }),
  /** 1: it hears of `webhook_lots` alone; 0: of all lots that its maker has. */
  has_own_lots: inner({ type: 'integer', default: 0 }),
  /** The journal cursor up to which its deliveries were inserted. */
  cursor: inner('bigint'),
  ...TIMES,
};

/** An event on its way to a webhook, kept for a while after its end. */
export const WEBHOOK_DELIVERY_FIELDS = {
  id: identity,
  webhook_id: shown(id, { filter: true, says: 'The webhook.' }),
  webhook_id_header: computed(z.string(), {
    says: 'The header `webhook-id` of its requests: the same in every attempt.',
  }),
  event: shown(z.enum(EVENT_NAMES), { filter: true }),
  status_code: shown(z.number().int().nullable(), {
    filter: true,
    says: 'The HTTP status of the last try; null when nobody answered.',
  }),
  error: computed(z.string().nullable(), { says: 'Why the last try failed; null when it did not.' }),
  attempt: computed(z.number().int(), { says: 'How often the delivery was tried.' }),
  created_at: shown(TIME),
};
