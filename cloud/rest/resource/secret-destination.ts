/**
 * Stored secrets, and where they are sent: to the address of their thing, by the device of its gateway. Who changes the address gives the
 * secret again, and another device gets it only when it is written again, or a Super Admin says so (REST contract, "Common rules").
 */
import type { Fields, SealedColumn, Values } from '../field/field.js';
import { destinationOf, isMasked } from '../field/masked-secret-codec.js';
import type { Problem } from './problem.js';
import type { SecretHolders } from './secret-holder-codec.js';

const AGAIN = 'must be given again, because it would go to another host or port';

/** Tells of a column that it holds a secret which the change does not give anew. */
type IsStored = (column: SealedColumn, name: string) => boolean;

/**
 * The stored secrets that a change would send elsewhere.
 * @param change.address what the thing has in a field with an address before and after
 */
export function redirectedSecrets(
  fields: Fields,
  { before, after, isStored }: { before: Values; after: Values; isStored: IsStored },
): Problem[] {
  return Object.entries(fields).flatMap(([name, { secret }]) => {
    if (secret === undefined || secret.sentTo === null) return [];
    const [from, to] = [before[secret.sentTo], after[secret.sentTo]].map(destinationOf);
    // To no address nothing is sent.
    if (to === '' || to === from || !isStored(secret, name)) return [];
    return [{ field: name, reason: AGAIN }];
  });
}

/** Whether a gateway is sent secrets of such things: they name one, and have a secret that is theirs. */
export function hasSecretsForGateway(fields: Fields): boolean {
  const isForGateway = fields.gateway?.reference?.to === 'gateways';
  return isForGateway && Object.values(fields).some(({ secret, holdsSecret }) => secret ?? holdsSecret);
}

/**
 * Whom the secrets of a thing are for after a change.
 * @param change.given the values that the change gives
 * @param change.after the values of all its fields after it
 * @param change.before whom they were for; null: it is new
 * @param change.holder who is to have those that are given; all of them with `isKept`
 */
export function secretHolders(
  fields: Fields,
  change: {
    given: Values;
    after: Values;
    isStored: IsStored;
    before: SecretHolders | null;
    holder: string | null;
    isKept: boolean;
  },
): SecretHolders {
  const { given, after, isStored, before, holder, isKept } = change;
  const stored = Object.entries(fields).flatMap(([name, { secret, holdsSecret }]) => {
    const isGiven = given[name] !== undefined && given[name] !== '' && !isMasked(given[name]);
    if (secret !== undefined) return isGiven || isStored(secret, name) ? [{ name, isGiven }] : [];
    return holdsSecret?.(after[name], after) ? [{ name, isGiven }] : [];
  });
  return Object.fromEntries(
    stored.map(({ name, isGiven }) => [name, isKept || isGiven ? holder : (before?.[name] ?? null)]),
  );
}
