/** GET and PUT /v2/lots/{id}/plan: the arrangement of a lot's things in a drawing. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ApiError } from '../../../shared/errors.js';
import { ALL_ROLES, type Caller } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type Endpoint, idValue, MANAGERS, protectedEndpoint, visibleTo, wholeValue } from '../../rest/entry.js';
import { findLotScope } from '../lot/lot-queries.js';
import { type PlanItem, planKind, planSchema, representPlan, thingOf } from './plan-payload.js';
import { findPlan, savePlan, thingsOfLot } from './plan-queries.js';

const PATH = '/v2/lots/{id}/plan';
const TAG = 'Lots';

/** The edge length of the drawing, in arbitrary units: a plan shows which things are next to each other, not distances. */
const EDGE = 10_000;
/** More than the largest lots have. */
export const PLAN_ITEMS_MAX = 5_000;
/** So many items, each as long as an item can be. */
const BODY_BYTES_MAX = 512 * 1024;

const size = wholeValue(1, EDGE).nullable();

const planBody = z.strictObject({
  items: z
    .array(
      z.strictObject({
        kind: planKind.describe('What it is: `zone`, `parking_place`, `product` or `lpr_camera`.'),
        id: idValue.describe('The id of the thing, among those of its kind.'),
        x: wholeValue(0, EDGE),
        y: wholeValue(0, EDGE),
        width: size.default(null),
        height: size.default(null),
      }),
    )
    .max(PLAN_ITEMS_MAX),
});

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
      bodyBytesMax: BODY_BYTES_MAX,
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

/** @throws ApiError that names each item whose thing is not in the lot or occurs earlier in the plan */
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
