/** Groups rows by the row that they belong to. */
import { pushTo } from '../../../shared/grouping.js';

/** A thing as the representation of another one shows it. */
export interface NamedThing {
  id: number;
  name: string;
}

/** Groups things by their owner, and removes the owner from them. */
export function byOwner<Thing extends { owner: number }>(
  things: readonly Thing[],
): (owner: number) => Omit<Thing, 'owner'>[] {
  const found = new Map<number, Omit<Thing, 'owner'>[]>();
  for (const { owner, ...thing } of things) pushTo(found, owner, thing);
  return (owner) => found.get(owner) ?? [];
}
