/** Groups rows by the row that they belong to. */

/** What the representation of a thing shows of another one. */
export interface NamedThing {
  id: number;
  name: string;
}

/** Groups things by their owner, and removes the owner from them. */
export function byOwner<Thing extends { owner: number }>(
  things: readonly Thing[],
): (owner: number) => Omit<Thing, 'owner'>[] {
  const found = new Map<number, Omit<Thing, 'owner'>[]>();
  for (const { owner, ...thing } of things) {
    const own = found.get(owner);
    if (own === undefined) found.set(owner, [thing]);
    else own.push(thing);
  }
  return (owner) => found.get(owner) ?? [];
}
