/** Decides from a measured number, a register or bytes of a payload, whether its place is occupied. */
import type { OccupancyRule } from '../../shared/drivers/occupancy-rule.js';
import type { Occupancy } from './sensor-source.js';

/** Multiplies a measured number. Bits of a mask and sentinels are no measurement and stay as they were sent. */
export function scaledValue(raw: number, { occupied, sentinels, scale = 1 }: OccupancyRule & Scaled): number {
  return 'mask' in occupied || sentinels.includes(raw) ? raw : raw * scale;
}

interface Scaled {
  scale?: number | undefined;
}

/**
 * Decides whether the place is occupied; null: the value is no measurement.
 * @param value the number, or a bit as 0 or 1
 * @param before the place's last known state; it stands while the value lies within the hysteresis
 */
export function decideValueOccupancy(value: number, rule: OccupancyRule, before: Occupancy | null): Occupancy | null {
  const { occupied, sentinels } = rule;
  if (sentinels.includes(value)) return null;
  if ('mask' in occupied) return (value & occupied.mask) === 0 ? 'free' : 'occupied';
  if (value < occupied.below) return 'occupied';
  if (value > occupied.below + occupied.hysteresis) return 'free';
  return before ?? 'free';
}
