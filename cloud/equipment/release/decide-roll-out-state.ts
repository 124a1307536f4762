/** How far one gateway is with one release. */
import type { UpdateReport } from '../../../shared/releases.js';
import { compareVersions } from '../../../shared/version-order.js';
import type { RingedRelease } from './decide-wanted-releases.js';

/** Those of a gateway that the release is for; the phases of an update, but `idle`, are among them. */
export const ROLL_OUT_STATES = [
  'installed',
  'fetching',
  'installing',
  'ready',
  'activating',
  'proving',
  'failed',
  'fallen_back',
  'waiting',
  'paused',
  'updated_by_apt',
  'never_reported',
] as const;
export type RollOutState = (typeof ROLL_OUT_STATES)[number];

/** @param report undefined: the gateway has never said what it has */
export function rollOutStateOf(
  release: Pick<RingedRelease, 'version' | 'is_paused'>,
  report: UpdateReport | undefined,
): RollOutState {
  if (report === undefined) return 'never_reported';
  if (!report.can_install) return 'updated_by_apt';
  if (report.version === release.version && report.phase !== 'idle') return report.phase;
  if (report.installed !== null && compareVersions(report.installed, release.version) >= 0) return 'installed';
  return release.is_paused === 1 ? 'paused' : 'waiting';
}

/** Whether a gateway may get the release, as far as it said for which releases its device is. */
export const isForDevice = ({ machine }: Pick<RingedRelease, 'machine'>, report: UpdateReport | undefined): boolean =>
  (report?.machine ?? machine) === machine;
