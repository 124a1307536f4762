import { MEASURED_MAX, type OccupancyRule } from '../../../shared/drivers/occupancy-rule.js';

/** A free place measures this much more than its threshold. */
const FREE_MARGIN = 500;

/** Returns the number shown by a sensor that is judged by this rule. @param max the largest number that it can show */
export function measuredNumber(
  { occupied: rule, sentinels }: OccupancyRule,
  occupied: boolean,
  max = MEASURED_MAX,
): number {
  if ('mask' in rule) return occupied ? rule.mask : 0;
  let value = occupied ? Math.floor(rule.below / 2) : Math.min(max, rule.below + rule.hysteresis + FREE_MARGIN);
  while (sentinels.includes(value)) value -= 1;
  return value;
}
