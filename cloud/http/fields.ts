/** What fields of request bodies may hold: the same as in a site file. */
import { z } from '@hono/zod-openapi';
import { PLATE_LENGTH_MAX } from '../../shared/plate/normalise-plate.js';
import { endsAfterStart, isAddress, isTimezone } from '../site/site-values.js';
import { timeParameter } from './time-parameter.js';
import type { FieldError } from './validation.js';

/** How many things one body may name in a field. */
export const IDS_MAX = 10_000;

export const idField = z.number().int().positive();
/** Each once: a repeated id counts as one. */
export const idsField = z.array(idField).max(IDS_MAX);
export const nameField = z.string().trim().min(1).max(200);
export const textField = z.string().max(2_000);
export const shortTextField = z.string().trim().min(1).max(200);
export const wholeField = (min: number, max: number) => z.number().int().min(min).max(max);
export const latitudeField = z.number().min(-90).max(90).nullable();
export const longitudeField = z.number().min(-180).max(180).nullable();
/** 0/1 and true/false; 0/1 from here on. */
export const flagField = z
  .union([z.boolean(), z.literal(0), z.literal(1)], 'Must be 0, 1, true or false')
  .transform(Number);
export const plateField = z
  .string()
  .trim()
  .min(1)
  .max(PLATE_LENGTH_MAX)
  .regex(/[\p{L}\p{Nd}]/u, 'Must hold letters or digits');
export const receiverEmailField = z.email('Must be an e-mail address').max(254).toLowerCase();
export const emailField = z.union([z.literal(''), receiverEmailField], 'Must be an e-mail address');
export const timezoneField = z.string().refine(isTimezone, 'Must be a time zone such as Europe/Zagreb');
export const urlField = z.string().max(500).refine(isAddress, 'Must be an address such as http://192.168.1.20');
export const driverField = z.string().regex(/^[a-z0-9-]{1,40}$/, 'Must be lower-case letters, digits and dashes');
/** A time as wall milliseconds. Products count seconds in 32 bits: what is valid for one ends before they do. */
export const timeField = timeParameter().refine(
  (ms) => ms >= 0 && ms < 2 ** 32 * 1_000,
  'Must be between 1970 and 2106',
);

/** What `superRefine` takes so that a rule on several fields is told together with what is wrong with others. */
export function together<Fields>(of: z.ZodType<Fields>, errorsOf: (fields: Fields) => FieldError[]) {
  const tell = (value: unknown, context: z.RefinementCtx) => {
    for (const { field, message } of errorsOf(of.parse(value))) {
      context.addIssue({ code: 'custom', path: [field], message });
    }
  };
  return [tell, { when: ({ value }: { value: unknown }) => of.safeParse(value).success }] as const;
}

/** From when to when something is valid, as wall milliseconds. */
export const windowFields = z.object({ start_time: z.number().nullable(), end_time: z.number().nullable() });

export const windowErrors = (window: z.infer<typeof windowFields>): FieldError[] =>
  endsAfterStart(window) ? [] : [{ field: 'end_time', message: 'Must be after start_time' }];
