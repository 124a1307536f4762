import { z } from '@hono/zod-openapi';
import { ApiError, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import { ALL_ROLES, type Caller } from '../../kernel/auth/entry.js';
import type { CloudStore, Db } from '../../kernel/store/entry.js';
import { majorUnits } from '../../../shared/currencies.js';
import {
  beginOf,
  type Endpoint,
  endOf,
  idParameter,
  isDate,
  momentParameter,
  protectedEndpoint,
  visibleRow,
} from '../../rest/entry.js';
import { timezonesOfLots, ZONE_LIST } from '../../site/entry.js';
import { findTariff, timezonesOfTariff } from './tariff-queries.js';
import { tariffPrice } from './tariff-window-codec.js';

/** Longer stays are refused. */
const STAY_MAX_MS = 100 * 366 * 24 * 3_600_000;

const quoteQuery = z.object({ start: momentParameter, end: momentParameter, zone_id: idParameter.optional() });

const quoteSchema = z
  .strictObject({
    tariff_id: z.number().int(),
    zone_id: z.number().int().nullable(),
    timezone: z.string().openapi({ description: 'In which the windows of the tariff are meant' }),
    currency: z.string(),
    amount: z.number(),
    duration: z.number().int(),
  })
  .openapi('Quote');

/** GET /v2/tariffs/{id}/quote */
export function tariffQuoteEndpoints({ store }: { store: Pick<CloudStore, 'reader'> }): Endpoint[] {
  return [
    protectedEndpoint({
      method: 'get',
      path: '/v2/tariffs/{id}/quote',
      summary: 'What a stay would cost',
      tag: 'Sessions',
      roles: ALL_ROLES,
      query: quoteQuery,
      answer: quoteSchema,
      async find({ caller, ids }) {
        const tariff = await findTariff(store.reader, ids.id);
        return tariff?.account_id === caller.account_id ? tariff : null;
      },
      async handle({ caller, found: tariff, query, daysAre }) {
        const { zone_id } = query;
        const timezone =
          zone_id === undefined
            ? await timezoneOfTariff(store.reader, tariff.id)
            : await timezoneOfZone(store.reader, { caller, zone_id });
        if (isDate(query.start) || isDate(query.end)) daysAre(timezone);
        const [start, end] = [beginOf(query.start, timezone), endOf(query.end, timezone)];
        if (end < start) throw new ApiError(VALIDATION, { field: 'end', message: 'Must not be before start' });
        if (end - start > STAY_MAX_MS) throw new ApiError(VALIDATION, { field: 'end', message: 'More than 100 years' });
        const { id: tariff_id, currency } = tariff;
        const price = tariffPrice(tariff, timezone)({ began_ms: start, ended_ms: end, discount_minutes: null });
        const duration = Math.floor((end - start) / 1_000);
        return {
          tariff_id,
          zone_id: zone_id ?? null,
          timezone,
          currency,
          amount: majorUnits(price, currency),
          duration,
        };
      },
    }),
  ];
}

/**
 * Returns the time zone of any zone that the caller can see. The zone need not use the tariff, because people ask for a price before they
 * assign the tariff.
 */
async function timezoneOfZone(db: Db, { caller, zone_id }: { caller: Caller; zone_id: number }): Promise<string> {
  const zone = await visibleRow(db, ZONE_LIST, { caller, id: zone_id });
  if (zone === null) throw new ApiError(VALIDATION, { field: 'zone_id', message: 'There is no such zone' });
  const timezone = (await timezonesOfLots(db, [zone.lot_id])).get(zone.lot_id);
  // The lot was deleted after the zone had been read.
  if (timezone === undefined) throw new ApiError(NOT_FOUND);
  return timezone;
}

/** @returns UTC for a tariff that is used nowhere. @throws ApiError VALIDATION if it is used in several time zones */
async function timezoneOfTariff(db: Db, tariff_id: number): Promise<string> {
  const [timezone = 'UTC', ...others] = await timezonesOfTariff(db, tariff_id);
  if (others.length === 0) return timezone;
  throw new ApiError(VALIDATION, {
    field: 'zone_id',
    message: 'The tariff is used in several time zones: name the zone of the stay',
  });
}
