/** Names for the ids of users and tokens in the audit log. */
import type { AuditNames } from '../wording/audit-sentences.js';
import { client, mayRule } from './session.js';
import { cameras, gateways, lots, products, zones } from './store.js';

type Actors = Pick<AuditNames, 'users' | 'tokens'>;

/** Until they are read. */
export const NOBODY: Actors = { users: new Map(), tokens: new Map() };

const PAGE = 300;

/** Entries have ids alone: a person may be gone, and then the id is all that there is. */
export async function namesOfActors(signal: AbortSignal): Promise<Actors> {
  const whole = { size: PAGE };
  const [users, tokens] = await Promise.all([
    client().get('/v2/account-users', { query: whole, signal }),
    mayRule.value ? client().get('/v2/api-tokens', { query: whole, signal }) : [],
  ]);
  return {
    users: new Map(users.map(({ id, name }) => [id, name])),
    tokens: new Map(tokens.map(({ id, name }) => [id, name])),
  };
}

/** What the page has read anyway, as targets name it. */
export function namesOfThings(): AuditNames['things'] {
  const named = (noun: string, things: readonly { id: number; name: string }[]) =>
    things.map(({ id, name }) => [`${noun} ${id}`, name] as const);
  return new Map([
    ...named('lot', lots.value),
    ...named('zone', zones.value),
    ...named('product', products.value),
    ...named('gateway', gateways.value),
    ...named('lpr camera', cameras.value),
  ]);
}
