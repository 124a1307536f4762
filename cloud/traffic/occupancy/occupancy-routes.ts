/** GET /v2/zones/{id}/occupancy, GET /v2/parking-places/{id}/occupancy */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import {
  datetime,
  type Endpoint,
  isDate,
  momentParameter,
  OVERLOAD,
  protectedEndpoint,
  visibleRow,
} from '../../rest/entry.js';
import { PLACE_LIST } from '../../equipment/entry.js';
import { ZONE_LIST } from '../../site/entry.js';
import { historyOfPlace, historyOfZone, STEPS } from './occupancy-history.js';

const query = z.object({
  from: momentParameter.optional(),
  to: momentParameter.optional(),
  step: z.enum(STEPS).default('hour'),
});

const zoneHistorySchema = z
  .strictObject({
    timezone: z.string(),
    spot_count: z.number().int(),
    series: z.array(
      z.strictObject({
        period_start: datetime,
        min_occupied: z.number().int().describe('The fewest vehicles at any time of the period.'),
        mean_occupied: z.number().describe('The mean number of vehicles over the time of the period.'),
        max_occupied: z.number().int().describe('The most vehicles at any time of the period.'),
      }),
    ),
  })
  .openapi('ZoneOccupancy');

const placeHistorySchema = z
  .strictObject({
    timezone: z.string(),
    series: z.array(
      z.strictObject({
        period_start: datetime,
        occupied_share: z
          .number()
          .describe('For what share of the time of the period the place was occupied, from 0 to 1.'),
      }),
    ),
  })
  .openapi('PlaceOccupancy');

export function occupancyEndpoints(deps: { store: CloudStore; clock: Clock }): Endpoint[] {
  const { store, clock } = deps;
  return [
    protectedEndpoint({
      method: 'get',
      path: '/v2/zones/{id}/occupancy',
      summary: 'How many vehicles were in a zone: the last day, or 30 days by day, unless a range is given',
      tag: 'Zones',
      roles: ALL_ROLES,
      query,
      answer: zoneHistorySchema,
      otherStatuses: OVERLOAD,
      find: ({ caller, ids }) => visibleRow(store.reader, ZONE_LIST, { caller, id: ids.id }),
      async handle({ caller, found, query: asked, signal, daysAre }) {
        const report = { account_id: caller.account_id, kind: 'sum', signal: signal() } as const;
        const data = await store.report(report, (db) => historyOfZone(db, found, { ...asked, now: clock.now() }));
        if (isDate(asked.from) || isDate(asked.to)) daysAre(data.timezone);
        return data;
      },
    }),
    protectedEndpoint({
      method: 'get',
      path: '/v2/parking-places/{id}/occupancy',
      summary: 'For what share of the time a place was occupied',
      tag: 'Parking places',
      roles: ALL_ROLES,
      query,
      answer: placeHistorySchema,
      otherStatuses: OVERLOAD,
      find: ({ caller, ids }) => visibleRow(store.reader, PLACE_LIST, { caller, id: ids.id }),
      async handle({ caller, found, query: asked, signal, daysAre }) {
        const report = { account_id: caller.account_id, kind: 'sum', signal: signal() } as const;
        const data = await store.report(report, (db) => historyOfPlace(db, found, { ...asked, now: clock.now() }));
        if (isDate(asked.from) || isDate(asked.to)) daysAre(data.timezone);
        return data;
      },
    }),
  ];
}
