import type { Caller } from '../auth/caller.js';
import type { EventScope } from '../store/journal-queries.js';

/** Decides which events a caller gets, live, replayed and over REST: an API token those of its account, a user token those of its lots. */
export function eventScopeOf(caller: Caller): EventScope {
  return { account_id: caller.account_id, lot_ids: caller.kind === 'api' ? null : caller.lot_ids };
}
