import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { currencyDigits, isCurrency, minorUnits } from '../../../shared/money.js';
import { TARIFF_LIST } from '../../store/lists/member-lists.js';
import { insertRow, lotIdsOfAccount, updateRow } from '../../store/queries/rows.js';
import type { Endpoint } from '../endpoint.js';
import { nameField, together, wholeField } from '../fields.js';
import { type ResourceDeps, resourceEndpoints } from '../resource-endpoints.js';
import { tariffRecord } from '../site-records.js';
import { type Tariff, tariffSchema, tariffWindowSchema } from '../site-resources.js';
import type { FieldError } from '../validation.js';

const WINDOWS_MAX = 100;
const priceField = z.number().min(0).max(1e9);

const fields = {
  name: nameField,
  currency: z.string().refine(isCurrency, 'Must be a currency such as EUR'),
  vat: z.string().regex(/^(\d{1,2}(\.\d{1,4})?)?$/, 'Must be a percentage such as "25"'),
  free_minutes: wholeField(0, 525_600),
  price: priceField,
  step_minutes: wholeField(1, 525_600),
  daily_max: priceField.nullable(),
  windows: z.array(tariffWindowSchema).max(WINDOWS_MAX),
};

/** /v2/tariffs. */
export function tariffEndpoints(deps: ResourceDeps): Endpoint[] {
  return resourceEndpoints(deps, {
    path: '/v2/tariffs',
    one: 'a tariff',
    many: 'tariffs',
    tag: 'Tariffs',
    table: TARIFF_LIST,
    item: tariffSchema,
    items: (rows) => rows.map(tariffRecord),
    newBody: z
      .strictObject({
        ...fields,
        vat: fields.vat.default(''),
        free_minutes: fields.free_minutes.default(0),
        step_minutes: fields.step_minutes.default(60),
        daily_max: fields.daily_max.default(null),
        windows: fields.windows.default([]),
      })
      .superRefine(...together(pricedFields, priceErrors)),
    changeBody: z.strictObject(fields).partial(),
    insert: (tx, { caller: { account_id }, body, now }) =>
      insertRow(tx, 'tariffs', { ...tariffColumns(body), account_id, created_at: now, updated_at: now }),
    async update(tx, { row, body, now }) {
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      // Prices keep their amount when the currency changes.
      const tariff: Tariff = { ...tariffRecord(row), ...given };
      await updateRow(tx, 'tariffs', { id: row.id, set: { ...tariffColumns(tariff), updated_at: now } });
    },
    managed: 'tariffs',
    lots: ({ account_id }) => lotIdsOfAccount(deps.store.reader, account_id),
    // Gateways know of tariffs only whether a zone has one.
    sections: ['zones'],
  });
}

const pricedFields = z.object({
  currency: fields.currency,
  price: fields.price,
  daily_max: fields.daily_max.default(null),
  windows: fields.windows.default([]),
});

/** Of prices that the currency cannot express. */
function priceErrors({ currency, price, daily_max, windows }: z.infer<typeof pricedFields>): FieldError[] {
  const prices = [
    { field: 'price', major: price },
    ...(daily_max === null ? [] : [{ field: 'daily_max', major: daily_max }]),
    ...windows.map((window, at) => ({ field: `windows.${at}.price`, major: window.price })),
  ];
  const message = `${currency} has ${currencyDigits(currency)} decimal digits`;
  return prices.flatMap(({ field, major }) => (minorUnits(major, currency) === null ? [{ field, message }] : []));
}

/** Throws 422 for prices that the currency cannot express. */
function tariffColumns(tariff: Omit<Tariff, 'id' | 'account_id' | 'created_at' | 'updated_at'>) {
  const { name, currency, vat, free_minutes, step_minutes } = tariff;
  const errors = priceErrors(tariff);
  if (errors.length > 0) throw ApiError.validation(errors);
  const minor = (major: number) => minorUnits(major, currency) ?? 0;
  const windows = tariff.windows.map(({ price, ...window }) => ({ ...window, price: minor(price) }));
  const prices = {
    price_minor: minor(tariff.price),
    daily_max_minor: tariff.daily_max === null ? null : minor(tariff.daily_max),
    windows: JSON.stringify(windows),
  };
  return { name, currency, vat, free_minutes, step_minutes, ...prices };
}
