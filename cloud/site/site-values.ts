/** The values that stand in a site file, with their limits and what is told of a wrong one. */
import { z } from 'zod';

export const LIST_MAX = 10_000;

/** A mapping without other keys; a wrong one is told together with those that are allowed. */
export function mapping<Shape extends z.ZodRawShape>(shape: Shape) {
  const allowed = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? `unknown key; allowed: ${allowed}` : undefined),
  });
}

export const list = <Item extends z.ZodType>(item: Item) => z.array(item).max(LIST_MAX).default([]);
export const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must not hold control characters');
export const text = z.string().max(2_000).default('');
export const names = list(name);
export const email = z.email('must be an e-mail address').max(254).toLowerCase();
export const whole = (min: number, max: number) => z.number().int().min(min).max(max);
export const coordinate = (bound: number) => z.number().min(-bound).max(bound).nullable().default(null);
export const flag = z.union([z.boolean(), z.literal(0), z.literal(1)], 'must be 0, 1, true or false').transform(Number);
export const plate = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/[\p{L}\p{Nd}]/u, 'must hold letters or digits');
export const timezone = z.string().refine(isTimezone, 'must be a time zone such as Europe/Zagreb').default('UTC');
export const address = z
  .string()
  .max(500)
  .refine(isAddress, 'must be an address such as http://192.168.1.20')
  .default('');
export const driver = z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be lower-case letters, digits and dashes');
/** What a camera speaks: a slip of the pen here would be a camera that nobody ever hears. */
export const cameraDriver = z.enum([
  'hikvision',
  'dahua',
  'axis',
  'onvif',
  'milesight',
  'openalpr',
  'platerecognizer',
  'verkada',
  'lilin',
]);

export const mac = z
  .string()
  .regex(/^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$/, 'must be an address such as "02:00:00:00:00:01"')
  .toLowerCase();

/** Products count seconds in 32 bits. */
const TIME_END_MS = 2 ** 32 * 1_000;
/** ISO 8601 in the file, wall milliseconds inside. */
export const time = z.iso
  .datetime({ offset: true, abort: true, error: 'must be a time such as 2026-01-01T00:00:00Z' })
  .transform((iso) => Date.parse(iso))
  .refine((ms) => ms >= 0 && ms < TIME_END_MS, 'must be between the years 1970 and 2106');

/** From when to when something is valid: from its creation when `start_time` is left out, for ever without an end. */
export const validity = { start_time: time.optional(), end_time: time.nullable().default(null) };

export function endsAfterStart(valid: { start_time?: number | null | undefined; end_time: number | null }): boolean {
  const { start_time = null, end_time } = valid;
  return start_time === null || end_time === null || end_time > start_time;
}
/** What is told of the end where `endsAfterStart` does not hold. */
export const END_BEFORE_START = { path: ['end_time'], error: 'must be after start_time' };

export function isTimezone(zone: string): boolean {
  try {
    // Offsets such as +01:00 are accepted by newer engines, but are no zones: they know no summer time.
    return /^[A-Za-z]/.test(zone) && Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }));
  } catch {
    return false;
  }
}

export function isAddress(value: string): boolean {
  return value === '' || (/^[a-z]+:\/\//.test(value) && URL.canParse(value));
}
