/** The representation of tariffs in the REST interface. */
import { z } from '@hono/zod-openapi';
import { majorUnits } from '../../../shared/currencies.js';
import { id, times, timesOf } from '../../rest/request/answer-schemas.js';
import type { Row } from '../../kernel/store/entry.js';
import { decodeWindows } from './tariff-window-codec.js';

export const tariffWindowSchema = z.strictObject({
  days: z
    .array(z.number().int().min(1).max(7))
    .min(1)
    .max(7)
    .describe('The days of the week on which the window applies: 1 is Monday, 7 Sunday.'),
  start: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be HH:MM')
    .describe('When the window begins, as HH:MM in the time zone of the lot.'),
  end: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be HH:MM')
    .describe('When the window ends, as HH:MM in the time zone of the lot.'),
  price: z.number().min(0).max(1e9),
  step_minutes: z.number().int().min(1).max(525_600),
});

export const tariffSchema = z
  .strictObject({
    id,
    name: z.string(),
    account_id: id,
    currency: z.string(),
    vat: z.string().describe('The value added tax in percent, as text; empty for none.'),
    free_minutes: z.number().int().describe('The minutes that cost nothing; a longer stay pays from its first minute.'),
    price: z.number(),
    step_minutes: z.number().int(),
    daily_max: z
      .number()
      .nullable()
      .describe('The most that 24 hours cost, in the major unit of the currency; null for no limit.'),
    windows: z
      .array(tariffWindowSchema)
      .describe('Spans of the week with another price; the first one that fits counts.'),
    ...times,
  })
  .openapi('Tariff');

export type Tariff = z.infer<typeof tariffSchema>;

export function representTariff(row: Row<'tariffs'>): Tariff {
  const { name, account_id, currency, vat, free_minutes, step_minutes, daily_max_minor } = row;
  return {
    id: row.id,
    name,
    account_id,
    currency,
    vat,
    free_minutes,
    price: majorUnits(row.price_minor, currency),
    step_minutes,
    daily_max: daily_max_minor === null ? null : majorUnits(daily_max_minor, currency),
    windows: decodeWindows(row.windows, currency),
    ...timesOf(row),
  };
}
