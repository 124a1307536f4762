/** The state of a roll-out in few numbers, and the order in which gateways get it. */

export type RollOutKind = 'installed' | 'moving' | 'failed' | 'waiting' | 'outside' | 'apart';

/** In the order in which they are said. */
const KINDS: Readonly<Record<RollOutKind, readonly string[]>> = {
  failed: ['failed', 'fallen_back'],
  moving: ['fetching', 'installing', 'ready', 'activating', 'proving'],
  waiting: ['waiting', 'paused', 'held'],
  installed: ['installed', 'superseded'],
  outside: ['outside'],
  apart: ['updated_by_apt', 'never_reported'],
};

interface Count {
  state: string;
  gateways_count: number;
}

const sumOf = (counts: readonly Count[], states: readonly string[]): number =>
  counts.filter(({ state }) => states.includes(state)).reduce((sum, { gateways_count }) => sum + gateways_count, 0);

/** The counts of a release by what they mean for people, without those that are zero: what failed comes first. */
export function countsOfRollOut(counts: readonly Count[]): { kind: RollOutKind; count: number }[] {
  return (Object.keys(KINDS) as RollOutKind[])
    .map((kind) => ({ kind, count: sumOf(counts, KINDS[kind]) }))
    .filter(({ count }) => count > 0);
}

/** Which of these a gateway is in; `moving` changes from minute to minute. */
export const kindOfState = (state: string): RollOutKind =>
  (Object.keys(KINDS) as RollOutKind[]).find((kind) => KINDS[kind].includes(state)) ?? 'apart';

/** How many gateways shall have the release and have it not. */
export const underWay = (counts: readonly Count[]): number =>
  sumOf(counts, [...KINDS.failed, ...KINDS.moving, ...KINDS.waiting]);

/** The parts in which a roll-out usually goes on. */
const STEPS = [5, 25, 50, 100] as const;

/** Which gateways come first in any roll-out, by the step at which their turn comes. */
export function turnsOf<Gateway extends { turn: number }>(
  gateways: readonly Gateway[],
): { percent: number; gateways: Gateway[] }[] {
  return STEPS.map((percent, at) => ({
    percent,
    gateways: gateways.filter(({ turn }) => turn <= percent && turn > (STEPS[at - 1] ?? 0)),
  }));
}
