/** What a gateway's doctor found, as it counts for a person now: what is old, or could not be looked at, is never shown as ok. */
import { MINUTE_MS } from '../../../shared/durations.js';
import { shownLevelOf } from '../../../shared/doctor/describe-finding.js';
import type { Finding } from '../../../shared/doctor/findings.js';

/** In the order in which they are shown. */
export const FINDING_STATES = ['needsYou', 'unknown', 'ok'] as const;
export type FindingState = (typeof FINDING_STATES)[number];

/** What was well this long ago may be so no more. */
export const FRESH_MS = 15 * MINUTE_MS;

interface Report {
  /** When it came, and the time of the service. */
  at_ms: number;
  now_ms: number;
  /** Whether the gateway is connected: what one found that is gone since is no more known. */
  isConnected: boolean;
}

/** Whether what was well in the report may be so no more. */
export const isOld = ({ at_ms, now_ms, isConnected }: Report): boolean => !isConnected || now_ms - at_ms > FRESH_MS;

/** What needs somebody is shown so until a newer report says otherwise. */
export function findingState(finding: Pick<Finding, 'id' | 'level'>, report: Report): FindingState {
  const level = shownLevelOf(finding);
  if (level === 'failure' || level === 'warning') return 'needsYou';
  return level === 'unknown' || isOld(report) ? 'unknown' : 'ok';
}
