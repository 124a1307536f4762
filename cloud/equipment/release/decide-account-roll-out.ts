/** How far the gateways of one account are with a release. */
import type { UpdateReport } from '../../../shared/releases.js';
import { decideWantedReleases, isInRing, percentileOf, type RingedRelease } from './decide-wanted-releases.js';
import type { GatewayUpdateWishes } from './release-queries.js';
import { isForDevice, ROLL_OUT_STATES, type RollOutState, rollOutStateOf } from './decide-roll-out-state.js';

/**
 * `outside`: the roll-out has not come to it yet. `superseded`: it shall have a newer one. `held`: people of the account paused its updates.
 * `paused`: the operator of the service paused the release.
 */
export const ACCOUNT_ROLL_OUT_STATES = [...ROLL_OUT_STATES, 'outside', 'superseded', 'held'] as const;
export type AccountRollOutState = RollOutState | 'outside' | 'superseded' | 'held';

/** A claimed gateway, what it last said of its software, and what people wish for it. */
export interface UpdatedGateway {
  uuid: string;
  account_id: number;
  report: UpdateReport | undefined;
  wishes: Pick<GatewayUpdateWishes, 'is_paused'>;
}

/** The part of an account's gateways that shall have the release, in percent. */
export const percentOf = ({ rings }: RingedRelease, account_id: number): number =>
  Math.max(0, ...rings.filter((ring) => (ring.account_id ?? account_id) === account_id).map(({ percent }) => percent));

/** Whether people of the account may know of the release: one that is rolled out to others alone is no matter of theirs. */
export const concerns = (release: RingedRelease, account_id: number): boolean =>
  release.rings.length === 0 || percentOf(release, account_id) > 0;

/** From which part of the gateways on, in percent, a roll-out comes to this one. */
export const turnOf = ({ uuid }: Pick<UpdatedGateway, 'uuid'>): number => Math.floor(percentileOf(uuid)) + 1;

/** @param releases all of them. @returns null: the release is for other devices */
export function accountRollOutState(
  release: RingedRelease,
  releases: readonly RingedRelease[],
  gateway: UpdatedGateway,
): AccountRollOutState | null {
  const { report, wishes } = gateway;
  if (!isForDevice(release, report)) return null;
  const state = rollOutStateOf(release, report);
  if (state !== 'waiting' && state !== 'paused') return state;
  if (!release.rings.some((ring) => isInRing(ring, gateway))) return 'outside';
  if (state === 'paused') return state;
  const wanted = decideWantedReleases(releases, gateway).find(({ machine }) => machine === release.machine);
  if (wanted?.id !== release.id) return 'superseded';
  return wishes.is_paused === 1 ? 'held' : state;
}

/** States in which the release has nothing to do at the gateway, or nothing yet. */
const OVER: ReadonlySet<AccountRollOutState> = new Set([
  'installed',
  'outside',
  'superseded',
  'updated_by_apt',
  'never_reported',
]);

/** Whether the gateway shall have the release, and has it not. */
export const isUnderWay = (state: AccountRollOutState | null): boolean => state !== null && !OVER.has(state);
