import type { AuditEntry } from '../store/queries/audit-log.js';
import type { Caller } from './caller.js';

/** Who a caller is to the audit log. An API token stands for itself here, not for the user it acts as. */
export function auditActorOf(caller: Caller): Pick<AuditEntry, 'account_id' | 'actor_type' | 'actor_id'> {
  const { kind, account_id } = caller;
  return kind === 'api'
    ? { account_id, actor_type: 'api_token', actor_id: caller.token_id }
    : { account_id, actor_type: 'user', actor_id: caller.user_id };
}
