/** The plan of a lot as REST accepts it. */
import { z } from '@hono/zod-openapi';
import { idValue, wholeValue } from '../../rest/entry.js';
import { planKind } from './plan-payload.js';

/** The edge length of the drawing, in arbitrary units: a plan shows which things are next to each other, not distances. */
const EDGE = 10_000;
/** More than the largest lots have. The limit keeps a body well below 1 MiB. */
export const PLAN_ITEMS_MAX = 5_000;

const size = wholeValue(1, EDGE).nullable();

export const planBody = z.strictObject({
  items: z
    .array(
      z.strictObject({
        kind: planKind,
        id: idValue,
        x: wholeValue(0, EDGE),
        y: wholeValue(0, EDGE),
        width: size.default(null),
        height: size.default(null),
      }),
    )
    .max(PLAN_ITEMS_MAX),
});
