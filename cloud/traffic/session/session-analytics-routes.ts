import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { PERIODS } from '../../../shared/periods.js';
import {
  type Condition,
  type Endpoint,
  filterQuery,
  hasDates,
  inLocalDays,
  listMeta,
  listQuery,
  listResponse,
  type MomentOrDate,
  momentParameter,
  OVERLOAD,
  protectedEndpoint,
  sendingEndpoint,
} from '../../rest/entry.js';
import { SESSION_LIST } from './session-list.js';
import { listVehicles, VEHICLE_SORTS } from './session-analytics-queries.js';
import { sessionAnalytics } from './session-analytics.js';
import { representVehicles, type Vehicle } from './vehicles.js';

const count = z.number().int();
const datetime = z.iso.datetime({ precision: 3 });
const sums = { average_duration: z.number().nullable(), amount_paid: z.number().nullable() };

const analyticsQuery = filterQuery(SESSION_LIST).extend({
  date_from: momentParameter.optional(),
  date_to: momentParameter.optional(),
  group_by: z.enum(PERIODS).default('day'),
});
const vehiclesQuery = listQuery({
  filters: SESSION_LIST.filters,
  sorts: VEHICLE_SORTS,
  defaultSort: { field: 'visits_count', direction: 'desc' },
});

const analyticsSchema = z
  .strictObject({
    timezone: z.string().openapi({ description: 'In which the periods are cut: the lots’ own; UTC when they differ' }),
    currency: z
      .string()
      .nullable()
      .openapi({ description: 'Of every amount_paid; null, with null amounts, when the sessions have several' }),
    amounts: z
      .array(z.strictObject({ currency: z.string(), amount_paid: z.number() }))
      .openapi({ description: 'What was paid in each currency of the sessions' }),
    totals: z
      .strictObject({
        sessions_count: count.describe('The sessions that began in the range.'),
        open_count: count.describe('The sessions that have not ended.'),
        ...sums,
      })
      .openapi({
        description: 'Of the sessions that began in the range; average_duration of those that have ended, in seconds',
      }),
    series: z
      .array(
        z.strictObject({
          period_start: datetime,
          entries_count: count.describe('The sessions that began in the period.'),
          exits_count: count.describe('The sessions that ended in the period.'),
          occupied_count: count.describe('The sessions that were open at the end of the period, whenever they began.'),
          ...sums,
        }),
      )
      .openapi({
        description:
          'entries_count, average_duration and amount_paid: of the sessions that began in the period; exits_count: those ' +
          'that ended in it; occupied_count: those open at its end, whenever they began',
      }),
  })
  .openapi('SessionAnalytics');

const vehicleSchema: z.ZodType<Vehicle> = z
  .strictObject({
    plate: z.string(),
    country_code: z.string().nullable(),
    type: z.string().nullable().describe('The kind of vehicle; null when no camera named it.'),
    make: z.string().nullable(),
    color: z.string().nullable(),
    model: z.string().nullable(),
    visits_count: count.describe('How often the vehicle came.'),
    total_duration: count.describe('The duration of all visits that have ended, in seconds.'),
    average_duration: z.number().nullable(),
    amount_paid: z.number().nullable().openapi({ description: 'null: in several currencies' }),
    first_seen_at: datetime.describe('When the vehicle first came.'),
    last_seen_at: datetime.describe('When the vehicle last came.'),
  })
  .openapi('Vehicle');
const vehiclesSchema = z.array(vehicleSchema);

/** The range of the parameters narrows that of the filters, as another filter does. */
const rangeConditions = (range: Partial<Record<'date_from' | 'date_to', MomentOrDate | undefined>>): Condition[] =>
  (['date_from', 'date_to'] as const).flatMap((field) => {
    const at = range[field];
    return at === undefined ? [] : [{ field, rule: 'eq', values: [at], isTime: true }];
  });

/** GET /v2/sessions/analytics, GET /v2/sessions/vehicle-analytics */
export function sessionAnalyticsEndpoints(deps: { store: Pick<CloudStore, 'report'>; clock: Clock }): Endpoint[] {
  const { store, clock } = deps;
  return [
    protectedEndpoint({
      method: 'get',
      path: '/v2/sessions/analytics',
      summary: 'Session analytics: totals, and a series of periods; the last 30 days unless a range is given',
      tag: 'Sessions',
      roles: ALL_ROLES,
      query: analyticsQuery,
      answer: analyticsSchema,
      otherStatuses: OVERLOAD,
      async handle({ caller, query: { filter, group_by, ...range }, signal, daysAre }) {
        const conditions = [...filter, ...rangeConditions(range)];
        const data = await store.report({ account_id: caller.account_id, kind: 'sum', signal: signal() }, (db) =>
          sessionAnalytics(db, { caller, conditions, group_by, now: clock.now() }),
        );
        if (hasDates(conditions)) daysAre(data.timezone);
        return data;
      },
    }),
    sendingEndpoint({
      method: 'get',
      path: '/v2/sessions/vehicle-analytics',
      summary: 'Vehicle analytics: the visits of each plate; durations are of visits that have ended',
      tag: 'Sessions',
      roles: ALL_ROLES,
      query: vehiclesQuery,
      answer: vehiclesSchema,
      sent: 'list',
      otherStatuses: OVERLOAD,
      async send(c, { caller, search, query: { page, size, sort, filter }, signal, daysAre }) {
        const { shown, total } = await store.report(
          { account_id: caller.account_id, kind: 'sum', signal: signal() },
          async (db) => {
            const { conditions, timezone } = await inLocalDays(db, { caller, table: SESSION_LIST, conditions: filter });
            daysAre(timezone);
            const { vehicles, total: found } = await listVehicles(
              db,
              { caller, conditions },
              {
                sort: sort.field as keyof typeof VEHICLE_SORTS,
                direction: sort.direction,
                limit: size,
                offset: (page - 1) * size,
              },
            );
            return { shown: await representVehicles(db, caller, vehicles), total: found };
          },
        );
        return listResponse(c, JSON.stringify(shown), listMeta({ path: c.req.path, search, page, size, total }));
      },
    }),
  ];
}
