/** The problems that a driver has with the settings of a device, in words that follow the setting's name. */
import type { z } from 'zod';

export interface SettingProblem {
  /** The setting's key, such as `address`. */
  field: string;
  /** Such as `is required for Modbus`: it begins in lower case and has no full stop. */
  reason: string;
}

/**
 * Finds only what the driver requires beyond a setting's own limits. Another check reports a value that breaks those limits, so that each
 * mistake is reported once.
 * @param schema the driver's
 * @param of.limits each setting's own limits, which apply to all drivers
 */
export function settingProblems(
  schema: z.ZodType,
  of: { settings: Readonly<Record<string, unknown>>; limits: Readonly<Record<string, z.ZodType>> },
): SettingProblem[] {
  const { error } = schema.safeParse(of.settings);
  const problems = new Map<string, string>();
  for (const { path, message } of error?.issues ?? []) {
    const field = String(path[0]);
    const value = of.settings[field];
    const isLimitBroken = !isMissing(value) && of.limits[field]?.safeParse(value).success === false;
    if (!isLimitBroken && !problems.has(field)) problems.set(field, message);
  }
  return [...problems].map(([field, reason]) => ({ field, reason }));
}

export const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';
