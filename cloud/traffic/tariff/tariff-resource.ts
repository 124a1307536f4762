/** Tariffs. REST bodies and site files have prices in the currency's major unit; columns have them in the minor unit. */
import { z } from 'zod';
import { currencyDigits, isCurrency, majorUnits, minorUnits } from '../../../shared/currencies.js';
import type { Row } from '../../kernel/store/entry.js';
import {
  defineResource,
  integerField,
  LIST_MAX,
  listTable,
  mapping,
  nameValue,
  type Problem,
  required,
  rule,
  textField,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';
import { lotIdsOfAccount } from '../../site/entry.js';
import { representTariff, tariffSchema } from './tariff-payload.js';
import { LOTS_OF_TARIFF, tariffsByIds } from './tariff-queries.js';
import { keepTariffVersion } from './tariff-version-queries.js';
import { decodeWindows, encodeWindows, type GivenWindow } from './tariff-window-codec.js';

const list = listTable({
  from: 'tariffs',
  id: 'tariffs.id',
  scope: { account_id: 'tariffs.account_id' },
  actsOn: LOTS_OF_TARIFF,
  filters: {
    name: textField('tariffs.name'),
    account_id: integerField('tariffs.account_id'),
  },
  sorts: { name: 'tariffs.name' },
  rows: tariffsByIds,
});

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 07:30');

/** A price in the currency's major unit. */
const priceValue = z.number().min(0).max(1e9);

const windowsValue = z
  .array(
    mapping({
      days: z.array(wholeValue(1, 7)).min(1, 'must name a day: 1 is Monday').default(EVERY_DAY),
      start: clockTime,
      end: clockTime,
      price: priceValue,
      step_minutes: wholeValue(1, 525_600).optional(),
    }),
  )
  .max(LIST_MAX);

const currencyOf = ({ currency }: Readonly<Record<string, unknown>>): string => String(currency);

const fields = {
  name: required(nameValue),
  currency: required(z.string().refine(isCurrency, 'must be a currency such as EUR')),
  vat: withDefault(z.string().regex(/^(\d{1,2}(\.\d{1,4})?)?$/, 'must be a percentage in quotes, such as "25"'), ''),
  free_minutes: withDefault(wholeValue(0, 525_600), 0),
  /** The price per started step. */
  price: required(priceValue, {
    columns: { price_minor: { from: (price, values) => minorUnits(price, currencyOf(values)) } },
    dependsOn: ['currency'],
    read: (row) => majorUnits(Number(row.price_minor), currencyOf(row)),
  }),
  step_minutes: withDefault(wholeValue(1, 525_600), 60),
  daily_max: withDefault(priceValue.nullable(), null, {
    columns: {
      daily_max_minor: { from: (most, values) => (most === null ? null : minorUnits(most, currencyOf(values))) },
    },
    dependsOn: ['currency'],
    read: (row) => (row.daily_max_minor === null ? null : majorUnits(Number(row.daily_max_minor), currencyOf(row))),
  }),
  /** Hours of the week with a different price. */
  windows: withDefault(windowsValue, [], {
    columns: {
      windows: {
        from: (windows, values) =>
          encodeWindows(windows, { currency: currencyOf(values), step_minutes: Number(values.step_minutes) }),
      },
    },
    dependsOn: ['currency'],
    read: (row) => decodeWindows(row.windows as Row<'tariffs'>['windows'], currencyOf(row)),
  }),
};

/** Reports prices with more decimal places than the currency has. */
function withoutCoin(currency: string, prices: { field: string; price: number | null }[]): Problem[] {
  const reason = `${currency} has ${currencyDigits(currency)} decimal digits`;
  return prices.flatMap(({ field, price }) =>
    price !== null && minorUnits(price, currency) === null ? [{ field, reason }] : [],
  );
}

const ofWindows = (windows: readonly GivenWindow[]) =>
  windows.map(({ price }, at) => ({ field: `windows.${at}.price`, price }));

export const TARIFF = defineResource({
  table: 'tariffs',
  one: 'tariff',
  many: 'tariffs',
  fields,
  rules: [
    rule(fields, ['currency', 'price'], ({ currency, price }) => withoutCoin(currency, [{ field: 'price', price }])),
    rule(fields, ['currency', 'daily_max'], ({ currency, daily_max }) =>
      withoutCoin(currency, [{ field: 'daily_max', price: daily_max }]),
    ),
    rule(fields, ['currency', 'windows'], ({ currency, windows }) => withoutCoin(currency, ofWindows(windows))),
  ],
  unique: [{ field: 'name', within: 'account' }],
  rest: {
    path: '/v2/tariffs',
    tag: 'Tariffs',
    list,
    item: tariffSchema,
    items: (rows) => rows.map(representTariff),
    gatewaysOf: ({ account_id }, db) => lotIdsOfAccount(db, account_id),
    // The only fact about tariffs in the configuration of gateways is whether a zone has one.
    sections: ['zones'],
    afterInsert: (tx, { id }) => keepTariffVersion(tx, id),
    afterUpdate: (tx, { row }) => keepTariffVersion(tx, row.id),
  },
  file: { at: ['tariffs'], isRemovedLast: true, afterWrite: keepTariffVersion },
});
