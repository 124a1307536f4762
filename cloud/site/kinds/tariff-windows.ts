/** Hours of the week in which a tariff has another price. */
import { z } from 'zod';
import { minorUnits } from '../../../shared/money.js';
import type { TariffWindow } from '../../../shared/tariff/price-stay.js';
import type { SiteAccount } from '../site-schema.js';
import { list, mapping, whole } from '../site-values.js';

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 07:30');

export const tariffWindowsSchema = list(
  mapping({
    days: z.array(whole(1, 7)).min(1, 'must name a day: 1 is Monday').default(EVERY_DAY),
    start: clockTime,
    end: clockTime,
    price: z.number().min(0).max(1e9),
    step_minutes: whole(1, 525_600).optional(),
  }),
);

/** The windows as the database has them. */
export function tariffWindowsJson({ windows, currency, step_minutes }: SiteAccount['tariffs'][number]): string {
  return JSON.stringify(
    windows.map(
      (window): TariffWindow => ({
        days: [...new Set(window.days)].toSorted((a, b) => a - b),
        start: window.start,
        end: window.end,
        step_minutes: window.step_minutes ?? step_minutes,
        price: minorUnits(window.price, currency) ?? 0,
      }),
    ),
  );
}
