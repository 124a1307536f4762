/** The plan of a lot as REST shows it: where its things stand in a drawing. */
import { z } from '@hono/zod-openapi';
import { datetime, id, isoOrNull } from '../../rest/http/answer-schemas.js';

/** What can stand in a plan. */
const PLAN_KINDS = ['zone', 'parking_place', 'product', 'lpr_camera'] as const;

export const planKind = z.enum(PLAN_KINDS);

/** A thing with the corner at the top left of where it is drawn. */
const planItemSchema = z
  .strictObject({
    kind: planKind,
    id,
    x: z.number().int(),
    y: z.number().int(),
    width: z.number().int().nullable(),
    height: z.number().int().nullable(),
  })
  .openapi('LotPlanItem');

export type PlanItem = z.infer<typeof planItemSchema>;

export const planSchema = z
  .strictObject({ lot_id: id, items: z.array(planItemSchema), updated_at: datetime.nullable() })
  .openapi('LotPlan');

export type Plan = z.infer<typeof planSchema>;

/** Names a thing of a plan: `zone 5`. */
export const thingOf = ({ kind: what, id: which }: Pick<PlanItem, 'kind' | 'id'>): string => `${what} ${which}`;

/**
 * @param plan null: nobody has arranged the lot
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
