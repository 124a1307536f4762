import type { AuditEntry } from './audit-log-queries.js';
import type { Caller } from '../auth/caller.js';

/** Names a caller for the audit log. An API token is the actor itself here, and not the user that it acts as. */
export function auditActorOf(caller: Caller): Pick<AuditEntry, 'account_id' | 'actor_type' | 'actor_id'> {
  const { kind, account_id } = caller;
  return kind === 'api'
    ? { account_id, actor_type: 'api_token', actor_id: caller.token_id }
    : { account_id, actor_type: 'user', actor_id: caller.user_id };
}
