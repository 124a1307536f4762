/** What is known of a tariff. Bodies, answers and site files have prices in the currency's major unit; columns have them in the minor unit. */
import { z } from 'zod';
import { isCurrency, majorUnits } from '../../../shared/currencies.js';
import {
  accountField,
  identity,
  jsonColumn,
  LIST_MAX,
  mapping,
  nameValue,
  required,
  shownAs,
  TIMES,
  type Values,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';
import type { TariffWindow } from './price-stay.js';
import {
  decodeWindows,
  encodeWindows,
  type GivenWindow,
  type StoredWindows,
  minorPrice,
} from './tariff-window-codec.js';

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const CLOCK_TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** A price in the currency's major unit. */
const priceValue = z.number().min(0).max(1e9);

/** Minutes: up to a year. */
const STEP_MINUTES_MAX = 525_600;
const stepValue = wholeValue(1, STEP_MINUTES_MAX);

const clockTime = z.string().regex(CLOCK_TIME, 'must be a time of day such as 07:30');

const windowsValue = z
  .array(
    mapping({
      days: z.array(wholeValue(1, 7)).min(1, 'must name a day: 1 is Monday').default(EVERY_DAY),
      start: clockTime,
      end: clockTime,
      price: priceValue,
      step_minutes: stepValue.optional(),
    }),
  )
  .max(LIST_MAX);

const shownTime = z.string().regex(CLOCK_TIME, 'Must be HH:MM');

export const tariffWindowSchema = z.strictObject({
  days: z
    .array(z.number().int().min(1).max(7))
    .min(1)
    .max(7)
    .describe('The days of the week on which the window applies: 1 is Monday, 7 Sunday.'),
  start: shownTime.describe('When the window begins, as HH:MM in the time zone of the lot.'),
  end: shownTime.describe('When the window ends, as HH:MM in the time zone of the lot.'),
  price: priceValue,
  step_minutes: stepValue,
});

const currencyOf = ({ currency }: Values): string => String(currency);
const minor = (price: number, values: Values): number => minorPrice(price, currencyOf(values));

export const TARIFF_FIELDS = {
  id: identity,
  name: required(nameValue, { filter: true, sort: true }),
  account_id: accountField({ filter: true }),
  currency: required(z.string().refine(isCurrency, 'must be a currency such as EUR')),
  vat: withDefault(z.string().regex(/^(\d{1,2}(\.\d{1,4})?)?$/, 'must be a percentage in quotes, such as "25"'), '', {
    says: 'The value added tax in percent, as text; empty for none.',
  }),
  free_minutes: withDefault(wholeValue(0, STEP_MINUTES_MAX), 0, {
    says: 'The minutes that cost nothing; a longer stay pays from its first minute.',
  }),
  /** The price per started step. */
  price: required(priceValue, {
    columns: { price_minor: { from: minor } },
    dependsOn: ['currency'],
    read: (row) => majorUnits(Number(row.price_minor), currencyOf(row)),
  }),
  step_minutes: withDefault(stepValue, 60),
  daily_max: withDefault(priceValue.nullable(), null, {
    columns: {
      daily_max_minor: {
        from: (most: number | null, values: Values) => (most === null ? null : minor(most, values)),
      },
    },
    dependsOn: ['currency'],
    read: (row) => (row.daily_max_minor === null ? null : majorUnits(Number(row.daily_max_minor), currencyOf(row))),
    says: 'The most that 24 hours cost, in the major unit of the currency; null for no limit.',
  }),
  /** Hours of the week with a different price. */
  windows: withDefault(windowsValue, [], {
    columns: {
      windows: jsonColumn<TariffWindow[]>((windows: readonly GivenWindow[], values) =>
        encodeWindows(windows, { currency: currencyOf(values), step_minutes: Number(values.step_minutes) }),
      ),
    },
    dependsOn: ['currency'],
    read: (row) => decodeWindows(row.windows as StoredWindows, currencyOf(row)),
    form: shownAs(z.array(tariffWindowSchema)),
    says: 'Spans of the week with another price; the first one that fits counts.',
  }),
  ...TIMES,
};
