/** Tariffs: the prices of stays. */
import { currencyDigits, minorUnits } from '../../../shared/currencies.js';
import { defineResource, listTable, type Problem, representationOf, rule } from '../../rest/entry.js';
import { lotIdsOfAccount } from '../../site/entry.js';
import { TARIFF_FIELDS } from './tariff-fields.js';
import { LOTS_OF_TARIFF, tariffsByIds } from './tariff-queries.js';
import { keepTariffVersion } from './tariff-version-queries.js';
import type { GivenWindow } from './tariff-window-codec.js';

const list = listTable({
  from: 'tariffs',
  id: 'tariffs.id',
  scope: { account_id: 'tariffs.account_id' },
  actsOn: LOTS_OF_TARIFF,
  fields: TARIFF_FIELDS,
  rows: tariffsByIds,
});

export const TARIFF_ANSWER = representationOf('Tariff', TARIFF_FIELDS);

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
  fields: TARIFF_FIELDS,
  rules: [
    rule(TARIFF_FIELDS, ['currency', 'price'], ({ currency, price }) =>
      withoutCoin(currency, [{ field: 'price', price }]),
    ),
    rule(TARIFF_FIELDS, ['currency', 'daily_max'], ({ currency, daily_max }) =>
      withoutCoin(currency, [{ field: 'daily_max', price: daily_max }]),
    ),
    rule(TARIFF_FIELDS, ['currency', 'windows'], ({ currency, windows }) => withoutCoin(currency, ofWindows(windows))),
  ],
  unique: [{ field: 'name', within: 'account' }],
  rest: {
    path: '/v2/tariffs',
    tag: 'Tariffs',
    list,
    item: TARIFF_ANSWER.schema,
    items: (rows) => rows.map((row) => TARIFF_ANSWER.of(row)),
    gatewaysOf: ({ account_id }, db) => lotIdsOfAccount(db, account_id),
    // The only fact about tariffs in the configuration of gateways is whether a zone has one.
    sections: ['zones'],
    afterInsert: (tx, { id }) => keepTariffVersion(tx, id),
    afterUpdate: (tx, { row }) => keepTariffVersion(tx, row.id),
  },
  file: { at: ['tariffs'], isRemovedLast: true, afterWrite: keepTariffVersion },
});
