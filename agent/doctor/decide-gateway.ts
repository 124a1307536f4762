/** Judges the gateway itself: whether it runs and belongs to a cloud, its connection, store and queue. Pure. */
import { type Finding, found } from '../../shared/doctor/findings.js';
import { isQueueOld } from '../../shared/troubles/rules.js';
import type { GatewayStatus } from '../health/status.js';

const QUEUE_FULL_PERCENT = 90;

export interface MembershipFacts {
  /** The gateway's cloud; null: it belongs to none. */
  cloud: string | null;
  /** null: it is not known, because the gateway does not run. */
  is_configured: boolean | null;
}

export function decideMembership({ cloud, is_configured }: MembershipFacts): Finding[] {
  if (cloud === null) return [found('gateway.unclaimed', null, {})];
  const claimed = found('gateway.claimed', null, { cloud });
  return is_configured === false ? [claimed, found('gateway.no_configuration', null, {})] : [claimed];
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
  /** How far its bounds are reached; above them the oldest pictures are given up. */
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
