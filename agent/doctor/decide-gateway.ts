/** Judges the gateway itself: whether it runs and belongs to a cloud, its connection, store and queue. Pure. */
import { DAY_MS } from '../../shared/durations.js';
import type { StandingEnded } from '../../shared/gateway-standing.js';
import { timeText } from '../../shared/doctor/time-text.js';
import { type Finding, found } from '../../shared/doctor/findings.js';
import { isQueueOld } from '../../shared/troubles/rules.js';
import type { GatewayStatus } from '../health/status.js';

const QUEUE_FULL_PERCENT = 90;

const RULES_OLD_DAYS = 2;

export interface MembershipFacts {
  /** The gateway's cloud; null: it belongs to none. */
  cloud: string | null;
  /** How its belonging to the cloud before ended, and when, wall milliseconds; null: it did not. */
  former: { why: StandingEnded; at_ms: number } | null;
  /** null: it is not known, because the gateway does not run. */
  is_configured: boolean | null;
}

export function decideMembership({ cloud, former, is_configured }: MembershipFacts): Finding[] {
  if (cloud === null && former !== null)
    return [found(`gateway.${former.why}`, null, { time: timeText(former.at_ms) })];
  if (cloud === null) return [found('gateway.unclaimed', null, {})];
  const claimed = found('gateway.claimed', null, { cloud });
  return is_configured === false ? [claimed, found('gateway.no_configuration', null, {})] : [claimed];
}

export interface RulesFacts {
  now_ms: number;
  /** When the credentials of its products end, wall milliseconds: the cloud renews each of them every day. */
  expiries_ms: readonly number[];
  /** For how many whole days after the present one the cloud makes them. */
  autonomy_days: number;
  /** For how long it has been without its cloud; null: it is connected, or the time is not known. */
  alone_s: number | null;
}

/** Judges how old that is by which the gateway decides, also where it is connected and nothing new comes. */
export function decideRules({ now_ms, expiries_ms, autonomy_days, alone_s }: RulesFacts): Finding[] {
  const renewed_ms = expiries_ms.map((end_ms) => end_ms - autonomy_days * DAY_MS);
  // It may have been renewed as late as on the last second of that day.
  const ages = [...(renewed_ms.length === 0 ? [] : [now_ms - Math.max(...renewed_ms)]), (alone_s ?? 0) * 1_000];
  const days = Math.floor(Math.max(...ages) / DAY_MS);
  return days >= RULES_OLD_DAYS ? [found('gateway.rules_old', null, { days })] : [];
}

export function decideSession({ connected, since_s }: { connected: boolean; since_s: number }): Finding {
  return found(connected ? 'session.ok' : 'session.none', null, { since_s });
}

/** @param service the unit of systemd that the gateway is part of; null: it is in none */
export function decideService(service: { has_watchdog: boolean } | null): Finding {
  if (service === null) return found('service.by_hand', null, {});
  return found(service.has_watchdog ? 'service.watched' : 'service.started', null, {});
}

/** Reads `/proc/self/cgroup`. @returns the unit of systemd that the program is part of; null: it is in none */
export function unitIn(cgroups: string): string | null {
  const [, unit] = /^0::\/(?:.*\/)?([^/\n]+\.service)(?:\/|$)/m.exec(cgroups) ?? [];
  return unit === undefined || unit.startsWith('user@') ? null : unit;
}

export type StoreFacts = Pick<GatewayStatus['store'], 'bytes' | 'quarantined' | 'failed'>;

export function decideStore({ bytes, quarantined, failed }: StoreFacts): Finding[] {
  const problems = [
    ...(failed === null ? [] : [found('store.failed', null, { problem: failed })]),
    ...(quarantined === null ? [] : [found('store.quarantined', null, { path: quarantined })]),
  ];
  return problems.length > 0 ? problems : [found('store.ok', null, { size_bytes: bytes })];
}

export interface QueueFacts {
  waiting: number;
  /** null: nothing waits, or it is not known since when. */
  oldest_s: number | null;
  /** How far the nearest of its bounds is reached; above them the oldest pictures are given up. */
  full_percent: number;
}

/** @param queue null: the store does not answer, which is told of the store */
export function decideQueue(queue: QueueFacts | null): Finding[] {
  if (queue === null) return [];
  const { waiting, oldest_s, full_percent: percent } = queue;
  return [
    oldest_s !== null && isQueueOld(oldest_s * 1_000)
      ? found('queue.old', null, { waiting, oldest_s })
      : found('queue.ok', null, { waiting }),
    ...(percent >= QUEUE_FULL_PERCENT ? [found('queue.full', null, { percent })] : []),
  ];
}
