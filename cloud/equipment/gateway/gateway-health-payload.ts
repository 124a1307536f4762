/** The health of a gateway, as REST shows it. A value that the gateway has never reported is null. */
import { z } from '@hono/zod-openapi';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { datetime, flag, flagOf, id, iso, isoOrNull, orNull } from '../../rest/http/answer-schemas.js';
import type { Row } from '../../kernel/entry.js';
import type { HeldMessages, ReportedHealth, UnhandledMessage } from './gateway-health-queries.js';
import { DAY_MS } from '../../../shared/durations.js';

const count = z.number().int();
const radioState = z.enum(['off', 'unavailable', 'on']);

export const gatewayHealthSchema = z
  .strictObject({
    status: z.enum(PRESENCE_STATES),
    alone_since: datetime.nullable(),
    agent_version: z.string().nullable(),
    started_at: datetime.nullable(),
    token_days_left: z.number().int().nullable(),
    queue: z.strictObject({
      depth: count.nullable(),
      oldest_at: datetime.nullable(),
      lost_count: count,
      kept_aside_count: count,
    }),
    radio: z.strictObject({
      state: radioState.nullable(),
      adapters: z.array(z.strictObject({ name: z.string(), state: radioState, links: count.nullable() })),
      recoveries: z.strictObject({ free: count, rescan: count, reset: count, restart: count, power: count }),
    }),
    clock: z.strictObject({ is_ok: orNull(flag), offset_ms: z.number().int().nullable() }),
    store: z.strictObject({ bytes: z.number().int().nullable(), is_ok: orNull(flag) }),
    quota: z.strictObject({ held_count: count, held_at: datetime.nullable() }),
    unhandled: z.array(z.strictObject({ channel: z.string(), reason: z.string(), unhandled_at: datetime })),
    products_untold: z.array(id),
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
  const flagOrNull = (value: boolean | undefined) => (value === undefined ? null : flagOf(value ? 1 : 0));
  return {
    status: gateway.status,
    alone_since: gateway.status === 'online' ? null : isoOrNull(gateway.last_seen),
    agent_version: gateway.agent_version,
    started_at: reported === null ? null : iso(reported.reported_at - reported.health.uptime_ms),
    token_days_left: daysLeft(health?.tokens_end_ms ?? null, now),
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

function daysLeft(endMs: number | null, now: number): number | null {
  return endMs === null ? null : Math.max(0, Math.floor((endMs - now) / DAY_MS));
}
