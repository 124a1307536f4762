import { type Caller, hearsWholeAccount } from '../../kernel/auth/entry.js';
import type { EventScope } from '../../kernel/store/entry.js';

/**
 * Decides which events a caller gets, live, replayed and over REST: an API token those of its account, or of its own lots if it is limited
 * to lots; a user token those of its lots.
 */
export function eventScopeOf(caller: Caller): EventScope {
  return {
    account_id: caller.account_id,
    lot_ids: hearsWholeAccount(caller) ? null : caller.lot_ids,
  };
}
