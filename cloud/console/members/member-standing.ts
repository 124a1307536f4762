/** Whether a member's plates open anything: in its time, and not blocked. Pure. */
import type { KnownMember } from './decide-member-lines.js';

export const STANDINGS = ['admitted', 'blocked', 'over', 'later'] as const;
export type Standing = (typeof STANDINGS)[number];

/** @param now wall milliseconds */
export function standingOf(
  {
    blocked_at,
    valid_from,
    valid_until,
  }: Pick<KnownMember, 'valid_from' | 'valid_until'> & { blocked_at: string | null },
  now: number,
): Standing {
  if (blocked_at !== null) return 'blocked';
  if (valid_until !== null && Date.parse(valid_until) <= now) return 'over';
  return valid_from !== null && Date.parse(valid_from) > now ? 'later' : 'admitted';
}

/** The filters of the service by which it finds the members that stand so at a time. */
export function standingFilters(standing: string, now: number): string[] {
  const at = new Date(now).toISOString();
  switch (standing) {
    case 'admitted':
      return [`admitted_at:eq:${at}`];
    case 'blocked':
      return ['blocked_at:isnotnull'];
    case 'over':
      return ['blocked_at:isnull', `valid_until:lte:${at}`];
    case 'later':
      return ['blocked_at:isnull', `valid_from:gt:${at}`];
    default:
      return [];
  }
}
