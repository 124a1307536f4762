/** GET and PUT /v2/lots/{id}/plan: where the things of a lot stand in its drawing. */
import type { Clock } from '../../../shared/clock.js';
import { ApiError } from '../../../shared/errors.js';
import { ALL_ROLES, type Caller, type CloudStore } from '../../kernel/entry.js';
import { type Endpoint, MANAGERS, protectedEndpoint, visibleTo } from '../../rest/entry.js';
import { findLotScope } from '../lot/lot-queries.js';
import { planBody } from './plan-body.js';
import { type PlanItem, planSchema, representPlan, thingOf } from './plan-payload.js';
import { findPlan, savePlan, thingsOfLot } from './plan-queries.js';

const PATH = '/v2/lots/{id}/plan';
const TAG = 'Lots';

export function planEndpoints({ store, clock }: { store: CloudStore; clock: Clock }): Endpoint[] {
  const find = async ({ caller, ids }: { caller: Caller; ids: { id: number } }) =>
    visibleTo(caller, await findLotScope(store.reader, ids.id));
  return [
    protectedEndpoint({
      method: 'get',
      path: PATH,
      isRecord: true,
      summary: 'Get where the things of a lot stand in its plan',
      tag: TAG,
      roles: ALL_ROLES,
      answer: planSchema,
      find,
      handle: async ({ found: { lot_id } }) =>
        representPlan(lot_id, await findPlan(store.reader, lot_id), await thingsOfLot(store.reader, lot_id)),
    }),
    protectedEndpoint({
      method: 'put',
      path: PATH,
      summary: 'Arrange the plan of a lot; things that are left out stand where a console puts them',
      tag: TAG,
      roles: MANAGERS,
      body: planBody,
      answer: planSchema,
      find,
      handle: ({ found: { lot_id }, body: { items }, change }) =>
        change(async (tx) => {
          const things = await thingsOfLot(tx, lot_id);
          refuseWrongItems(items, things);
          const now = clock.now();
          await savePlan(tx, { lot_id, items, now });
          return representPlan(lot_id, { items, updated_at: now }, things);
        }),
    }),
  ];
}

/** @throws ApiError that names each item whose thing is not in the lot, or stands in the plan already */
function refuseWrongItems(items: readonly PlanItem[], things: ReadonlySet<string>): void {
  const seen = new Set<string>();
  const faults = items.flatMap((item, at) => {
    const thing = thingOf(item);
    const message = !things.has(thing)
      ? 'There is no such thing in the lot'
      : seen.has(thing)
        ? 'It stands in the plan already'
        : null;
    seen.add(thing);
    return message === null ? [] : [{ field: `items.${at}.id`, message }];
  });
  if (faults.length > 0) throw ApiError.validation(faults);
}
