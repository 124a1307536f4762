/** Stored secrets and the addresses that they are sent to: who changes such an address gives the secret again (REST contract, "Common rules"). */
import type { Fields, SealedColumn, Values } from './field.js';
import { destinationOf } from './masked-secret-codec.js';
import type { Problem } from './problem.js';

const AGAIN = 'must be given again, because it would go to another host or port';

/**
 * The stored secrets that a change would send elsewhere.
 * @param change.address what the thing has in a field with an address before and after
 * @param change.isStored whether a column holds a secret that the change does not give anew
 */
export function redirectedSecrets(
  fields: Fields,
  {
    before,
    after,
    isStored,
  }: { before: Values; after: Values; isStored: (column: SealedColumn, name: string) => boolean },
): Problem[] {
  return Object.entries(fields).flatMap(([name, { secret }]) => {
    if (secret === undefined || secret.sentTo === null) return [];
    const [from, to] = [before[secret.sentTo], after[secret.sentTo]].map(destinationOf);
    // To no address nothing is sent.
    if (to === '' || to === from || !isStored(secret, name)) return [];
    return [{ field: name, reason: AGAIN }];
  });
}
