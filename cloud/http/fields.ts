/** What fields of request bodies may hold: the same as in a site file. */
import { z } from '@hono/zod-openapi';
import { PLATE_LENGTH_MAX } from '../../shared/plate/normalise-plate.js';
import { isAddress, isTimezone } from '../site/site-values.js';

/** How many things one body may name in a field. */
export const IDS_MAX = 10_000;

export const idField = z.number().int().positive();
/** Each once: a repeated id counts as one. */
export const idsField = z.array(idField).max(IDS_MAX);
export const nameField = z.string().trim().min(1).max(200);
export const textField = z.string().max(2_000);
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
export const emailField = z.union([z.literal(''), z.email().max(254).toLowerCase()], 'Must be an e-mail address');
export const timezoneField = z.string().refine(isTimezone, 'Must be a time zone such as Europe/Zagreb');
export const urlField = z.string().max(500).refine(isAddress, 'Must be an address such as http://192.168.1.20');
export const driverField = z.string().regex(/^[a-z0-9-]{1,40}$/, 'Must be lower-case letters, digits and dashes');
