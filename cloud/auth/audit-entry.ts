import type { AuditEntry } from '../store/queries/audit-log.js';
import type { Caller } from './caller.js';

/** What a caller did, for `appendAudit`. An API token stands for itself here, not for the user it acts as. */
export function auditEntryOf(
  caller: Caller,
  done: Pick<AuditEntry, 'action' | 'target' | 'created_at'> & { details?: Record<string, unknown> },
): AuditEntry {
  const { kind, account_id } = caller;
  const actor =
    kind === 'api'
      ? { actor_type: 'api_token' as const, actor_id: caller.token_id }
      : { actor_type: 'user' as const, actor_id: caller.user_id };
  return { account_id, ...actor, details: {}, ...done };
}
