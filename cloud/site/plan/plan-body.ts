/** The plan of a lot as REST takes it. */
import { z } from '@hono/zod-openapi';
import { idValue, wholeValue } from '../../rest/entry.js';
import { planKind } from './plan-payload.js';

/** The edge of the drawing, in units of its own: a plan shows who is beside whom, and no metres. */
const EDGE = 10_000;
/** More than the largest lots have. With it a body stays well below its limit of 1 MiB. */
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
