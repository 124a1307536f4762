/** Whom the secrets are for that a site file gives. Pure. */
import { type Fields, secretHolders } from '../../rest/entry.js';
import type { DeclaredThing } from './site-things.js';

/** @returns the column `secrets_for` of a thing: all its secrets stand in the file, and are given for the holder */
export function holdersInFile(
  fields: Fields,
  { values, sealed, holder }: Pick<DeclaredThing, 'values' | 'sealed'> & { holder: string | null },
): string {
  const secrets = Object.entries(fields).flatMap(([name, { secret }]) =>
    secret === undefined ? [] : [[name, sealed[secret.column]?.secret ?? '']],
  );
  const after = { ...values, ...Object.fromEntries(secrets) };
  const change = { given: after, after, isStored: () => false, before: null, holder, isKept: true };
  return JSON.stringify(secretHolders(fields, change));
}
