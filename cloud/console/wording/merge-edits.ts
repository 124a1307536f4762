/** Two people change one thing: what each of them changed, and what both did. */

export interface MergedEdits<Form> {
  /** The fields of the one, where only that person changed them, and else those of the other. Of fields that both changed, the one's. */
  merged: Form;
  /** The fields that only the other changed. */
  adopted: (keyof Form & string)[];
  /** The fields that both changed, to different values. */
  clashes: (keyof Form & string)[];
}

/** @param base the thing as it was when both began. @param mine what the one typed. @param theirs what the other saved */
export function mergeEdits<Form extends object>(base: Form, mine: Form, theirs: Form): MergedEdits<Form> {
  const adopted: (keyof Form & string)[] = [];
  const clashes: (keyof Form & string)[] = [];
  const merged = { ...mine };
  for (const key of Object.keys(base) as (keyof Form & string)[]) {
    if (isSame(base[key], theirs[key]) || isSame(mine[key], theirs[key])) continue;
    if (!isSame(mine[key], base[key])) clashes.push(key);
    else {
      adopted.push(key);
      merged[key] = theirs[key];
    }
  }
  return { merged, adopted, clashes };
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
