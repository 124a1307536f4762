/** The door to the audit log: entries in the transaction of their change, and the chain. */
export { type AuditBreak, type AuditBreakReason, verifyAudit } from './audit-chain-queries.js';
export {
  appendAudit,
  type AuditEntry,
  type AuditHead,
  findAuditHead,
} from './audit-log-queries.js';
export { appendBoundedAudit, type AuditBound } from './bounded-audit-queries.js';
export { noteAudit, ownChange, withAuditEntry } from './audit-note.js';
