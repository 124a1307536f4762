/** The health of a gateway, as REST shows it. A value that the gateway has never reported is null. */
import { z } from '@hono/zod-openapi';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { datetime, flag, flagOf, id, iso, isoOrNull, orNull } from '../../rest/field/answer-schemas.js';
import type { Row } from '../../kernel/store/entry.js';
import type { HeldMessages, ReportedHealth, UnhandledMessage } from './gateway-health-queries.js';
import { daysLeft } from '../../../shared/troubles/rules.js';

const count = z.number().int();
const radioState = z.enum(['off', 'unavailable', 'on']);

export const gatewayHealthSchema = z
  .strictObject({
    status: z.enum(PRESENCE_STATES),
    alone_since: datetime
      .nullable()
      .describe('Since when the gateway works without this service; null while it is connected, or never was.'),
    agent_version: z.string().nullable(),
    started_at: datetime.nullable().describe('When its program started; null when it has not said so.'),
    token_days_left: z
      .number()
      .int()
      .nullable()
      .describe(
        'For how many days it can still operate products alone; null when it has no credentials, or has not said so.',
      ),
    queue: z
      .strictObject({
        depth: count.nullable().describe('How many records wait to be sent; null when it has not said so.'),
        oldest_at: datetime.nullable().describe('When the record was made that waits longest; null when none waits.'),
        lost_count: count.describe('How many records the gateway had to give up.'),
        kept_aside_count: count.describe(
          'How many records of the gateway were kept aside with their reason, because they can never be applied: the newest, at most 1,000.',
        ),
      })
      .describe('What waits to be sent to this service.'),
    radio: z
      .strictObject({
        state: radioState
          .nullable()
          .describe(
            'Whether its Bluetooth works: `on`, `unavailable`, `off` when it is switched off; null when it has not said so.',
          ),
        adapters: z
          .array(
            z.strictObject({
              name: z.string().describe('The name of the adapter.'),
              state: radioState.describe('Whether the adapter works: `on`, `unavailable`, `off`.'),
              links: count
                .nullable()
                .describe('How many connections to products the adapter has; null when the gateway does not say so.'),
            }),
          )
          .describe('The Bluetooth adapters of the gateway.'),
        recoveries: z
          .strictObject({
            free: count.describe('How often it took back a connection that nobody used.'),
            rescan: count.describe('How often it began to listen anew.'),
            reset: count.describe('How often it reset an adapter.'),
            restart: count.describe('How often it replaced the process that drives an adapter.'),
            power: count.describe('How often it switched an adapter off and on.'),
          })
          .describe(
            'How often it healed its Bluetooth since it started, by step: took back a leaked connection, scanned again, reset the adapter, replaced the process that drives it, switched the adapter off and on.',
          ),
      })
      .describe('Its Bluetooth.'),
    clock: z
      .strictObject({
        is_ok: orNull(flag),
        offset_ms: z
          .number()
          .int()
          .nullable()
          .describe('By how many milliseconds its clock is ahead of this service; null when it is not known.'),
      })
      .describe('Its clock.'),
    store: z
      .strictObject({
        bytes: z.number().int().nullable().describe('How large its database is; null when it has not said so.'),
        is_ok: orNull(flag),
      })
      .describe('Its database.'),
    quota: z
      .strictObject({
        held_count: count.describe('How many messages had to wait since the gateway exists.'),
        held_at: datetime.nullable().describe('When the last message had to wait; null when none ever did.'),
      })
      .describe('How much of what it sent had to wait because it sent more than its share.'),
    unhandled: z
      .array(
        z.strictObject({
          channel: z
            .string()
            .describe(
              'What the message is about, the last part of its topic: `hello`, `presence`, `records` or `report`.',
            ),
          reason: z.string().describe('Why it could not be handled, in words for people.'),
          unhandled_at: datetime.describe('When it could not be handled.'),
        }),
      )
      .describe(
        'What it sent that could not be handled: the last message of each kind, until one of its kind can be again.',
      ),
    products_untold: z
      .array(id)
      .describe(
        'Products of its lot that have not yet heard that they must refuse a gateway which is gone or was claimed anew.',
      ),
    unknown_timezones: z.array(z.string()),
  })
  .openapi('GatewayHealth');

export type GatewayHealth = z.infer<typeof gatewayHealthSchema>;

export interface GatewayHealthDetails {
  gateway: Row<'gateways'>;
  reported: ReportedHealth | null;
  lost_count: number;
  kept_aside_count: number;
  held: HeldMessages | null;
  unhandled: readonly UnhandledMessage[];
  products_untold: number[];
  /** Of the lot and its cameras: those that this machine counts in UTC. */
  unknown_timezones: string[];
  now: number;
}

export function representGatewayHealth(details: GatewayHealthDetails): GatewayHealth {
  const { gateway, reported, now } = details;
  const health = reported?.health;
  const tokens_end_ms = health?.tokens_end_ms ?? null;
  const flagOrNull = (value: boolean | undefined) => (value === undefined ? null : flagOf(value ? 1 : 0));
  return {
    status: gateway.status,
    alone_since: gateway.status === 'online' ? null : isoOrNull(gateway.last_seen),
    agent_version: gateway.agent_version,
    started_at: reported === null ? null : iso(reported.reported_at - reported.health.uptime_ms),
    token_days_left: tokens_end_ms === null ? null : daysLeft(tokens_end_ms, now),
    queue: {
      depth: health?.queue.depth ?? null,
      oldest_at: isoOrNull(health?.queue.oldest_ms ?? null),
      lost_count: details.lost_count,
      kept_aside_count: details.kept_aside_count,
    },
    radio: representRadio(health?.radio),
    clock: { is_ok: flagOrNull(health?.clock.is_ok), offset_ms: health?.clock.offset_ms ?? null },
    store: { bytes: health?.store.bytes ?? null, is_ok: flagOrNull(health?.store.is_ok) },
    quota: { held_count: details.held?.held_count ?? 0, held_at: isoOrNull(details.held?.held_at ?? null) },
    unhandled: details.unhandled.map(({ channel, reason, unhandled_at }) => ({
      channel,
      reason,
      unhandled_at: iso(unhandled_at),
    })),
    products_untold: details.products_untold,
    unknown_timezones: details.unknown_timezones,
  };
}

const NEVER_HEALED = { free: 0, rescan: 0, reset: 0, restart: 0, power: 0 };

function representRadio(radio: ReportedHealth['health']['radio'] | undefined): GatewayHealth['radio'] {
  if (radio === undefined) return { state: null, adapters: [], recoveries: NEVER_HEALED };
  return {
    state: radio.state,
    adapters: radio.adapters.map(({ name, state, links }) => ({ name, state, links })),
    recoveries: radio.recoveries,
  };
}
