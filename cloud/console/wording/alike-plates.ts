/** Which plates look most like one, for who looks for a stay among thousands. */
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';

/** How many of its characters stand in the other in the same order: the longest common subsequence. */
function commonOf(a: string, b: string): number {
  let row: readonly number[] = Array.from({ length: b.length + 1 }, () => 0);
  for (const char of a) {
    const next = [0];
    for (let at = 1; at <= b.length; at += 1)
      next.push(char === b[at - 1] ? (row[at - 1] ?? 0) + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0));
    row = next;
  }
  return row[b.length] ?? 0;
}

/** @returns at most so many, the most alike first; those that are equally alike in their order */
export function mostAlike<Item>(
  items: readonly Item[],
  { plateOf, plate, most }: { plateOf: (item: Item) => string; plate: string; most: number },
): Item[] {
  if (items.length <= most) return [...items];
  const wanted = normalisePlate(plate);
  return items
    .map((item) => {
      const own = normalisePlate(plateOf(item));
      // Of plates that have all of it, the one with the least beside it.
      return { item, alike: own.includes(wanted) ? 1_000 - own.length : commonOf(wanted, own) * 2 - own.length };
    })
    .toSorted((a, b) => b.alike - a.alike)
    .slice(0, most)
    .map(({ item }) => item);
}
