import type { Caller } from '../auth/caller.js';
import type { EventScope } from '../store/queries/events.js';

/** Whose events a caller hears, live, replayed and over REST: an API token its whole account, a user token the assigned lots. */
export function eventScopeOf(caller: Caller): EventScope {
  return { account_id: caller.account_id, lot_ids: caller.kind === 'api' ? null : caller.lot_ids };
}
