/** The representation of a lot's plan in the REST interface: where its zones, places, products and cameras are drawn. */
import { z } from '@hono/zod-openapi';
import { datetime, id, isoOrNull } from '../../rest/field/answer-schemas.js';

/** The kinds of items in a plan. */
const PLAN_KINDS = ['zone', 'parking_place', 'product', 'lpr_camera'] as const;

export const planKind = z.enum(PLAN_KINDS);

/** An item with the top left corner of its drawing. */
const planItemSchema = z
  .strictObject({
    kind: planKind.describe('What it is: `zone`, `parking_place`, `product` or `lpr_camera`.'),
    id: id.describe('The id of the thing, among those of its kind.'),
    x: z.number().int(),
    y: z.number().int(),
    width: z.number().int().nullable(),
    height: z.number().int().nullable(),
  })
  .openapi('LotPlanItem');

export type PlanItem = z.infer<typeof planItemSchema>;

export const planSchema = z
  .strictObject({
    lot_id: id,
    items: z.array(planItemSchema).describe('What stands in the plan, and where.'),
    updated_at: datetime.nullable().describe('When it was last arranged; null: never.'),
  })
  .openapi('LotPlan');

export type Plan = z.infer<typeof planSchema>;

/** Returns the name of a plan's item: `zone 5`. */
export const thingOf = ({ kind: what, id: which }: Pick<PlanItem, 'kind' | 'id'>): string => `${what} ${which}`;

/**
 * @param plan null: the lot has no plan yet
 * @param things that are in the lot now, as `thingOf` names them
 */
export function representPlan(
  lot_id: number,
  plan: { items: readonly PlanItem[]; updated_at: number } | null,
  things: ReadonlySet<string>,
): Plan {
  const items = plan?.items.filter((item) => things.has(thingOf(item))) ?? [];
  return { lot_id, items, updated_at: isoOrNull(plan?.updated_at ?? null) };
}
