/** How far a release is, in the numbers of the console. */
import { expect, it } from 'vitest';
import { ACCOUNT_ROLL_OUT_STATES } from '../../../cloud/equipment/release/decide-account-roll-out.js';
import { countsOfRollOut, kindOfState, turnsOf, underWay } from '../../../cloud/console/wording/roll-out.js';

it('counts each gateway once, and says first what failed', () => {
  const counts = ACCOUNT_ROLL_OUT_STATES.map((state, at) => ({ state, gateways_count: at + 1 }));
  const shown = countsOfRollOut(counts);
  const sum = counts.reduce((all, { gateways_count }) => all + gateways_count, 0);
  expect(shown.reduce((all, { count }) => all + count, 0)).toBe(sum);
  expect(shown[0]?.kind).toBe('failed');
  expect(countsOfRollOut([])).toEqual([]);
  expect(
    underWay([
      { state: 'installed', gateways_count: 5 },
      { state: 'fallen_back', gateways_count: 1 },
      { state: 'held', gateways_count: 2 },
    ]),
  ).toBe(3);
});

it('never shows a gateway that is not known as one that has it', () => {
  expect(kindOfState('never_reported')).toBe('apart');
  expect(kindOfState('a state of a newer service')).toBe('apart');
});

it('names each gateway at the step at which its turn comes', () => {
  const gateways = [1, 5, 6, 50, 51, 100].map((turn) => ({ turn }));
  expect(turnsOf(gateways).map((step) => [step.percent, step.gateways.map(({ turn }) => turn)])).toEqual([
    [5, [1, 5]],
    [25, [6]],
    [50, [50]],
    [100, [51, 100]],
  ]);
});
