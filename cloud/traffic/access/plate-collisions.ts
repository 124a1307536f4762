/** Finds pairs of plates that an exit could take for each other, without holding up other requests meanwhile. */
import { setImmediate as giveWay } from 'node:timers/promises';
import { COLLISION_KINDS, type Collision, findCollisions } from '../../../shared/plate/find-collisions.js';

export { COLLISION_KINDS };

/** How many pairs a lot is told of. Who has more has numbered the plates, and knows. */
export const COLLISIONS_MAX = 100_000;

/** Finds the pairs of one page. @param plates normalised, each once */
export async function pageOfCollisions(
  plates: readonly string[],
  { page, size }: { page: number; size: number },
): Promise<{ shown: Collision[]; total: number }> {
  const found = await findCollisions(plates, { pairsMax: COLLISIONS_MAX, pause: () => giveWay() });
  const from = (page - 1) * size;
  return { shown: found.slice(from, from + size), total: found.length };
}
