import { z } from '@hono/zod-openapi';
import { ApiError, VALIDATION } from '../../shared/errors.js';
import { majorUnits } from '../../shared/money.js';
import { ALL_ROLES } from '../auth/role-schemas.js';
import { type Endpoint, protectedEndpoint } from '../http/endpoint.js';
import { timeParameter } from '../http/time-parameter.js';
import { tariffPrice } from '../session/amount-due.js';
import type { CloudStore } from '../store/cloud-store.js';
import { findTariff, timezonesOfTariff } from './tariff-queries.js';

/** Longer stays are not priced. */
const STAY_MAX_MS = 100 * 366 * 24 * 3_600_000;

const quoteSchema = z
  .strictObject({ tariff_id: z.number().int(), currency: z.string(), amount: z.number(), duration: z.number().int() })
  .openapi('Quote');

/** GET /v2/tariffs/{id}/quote */
export function tariffQuoteEndpoints({ store }: { store: Pick<CloudStore, 'reader'> }): Endpoint[] {
  return [
    protectedEndpoint({
      method: 'get',
      path: '/v2/tariffs/{id}/quote',
      summary: 'What a stay from start to end would cost; windows are meant in the time zone of the lots it prices',
      tag: 'Sessions',
      roles: ALL_ROLES,
      query: z.object({ start: timeParameter(), end: timeParameter() }),
      answer: quoteSchema,
      async find({ caller, ids }) {
        const tariff = await findTariff(store.reader, ids.id);
        return tariff?.account_id === caller.account_id ? tariff : null;
      },
      async handle({ found: tariff, query: { start, end } }) {
        if (end < start) throw new ApiError(VALIDATION, { field: 'end', message: 'Must not be before start' });
        if (end - start > STAY_MAX_MS) throw new ApiError(VALIDATION, { field: 'end', message: 'More than 100 years' });
        const [timezone = 'UTC', ...others] = await timezonesOfTariff(store.reader, tariff.id);
        const priceOf = tariffPrice(tariff, others.length === 0 ? timezone : 'UTC');
        const { id: tariff_id, currency } = tariff;
        const amount = majorUnits(priceOf({ began_ms: start, ended_ms: end, discount_minutes: null }), currency);
        return { tariff_id, currency, amount, duration: Math.floor((end - start) / 1_000) };
      },
    }),
  ];
}
