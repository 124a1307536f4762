/** Notes of a change for its audit entry, which is added in its own transaction: neither is ever there without the other. */
import type { Change, CloudStore, Tx } from '../store/cloud-store.js';
import { appendAudit, type AuditEntry } from './audit-log-queries.js';
import { appendBoundedAudit, type AuditBound } from './bounded-audit-queries.js';

/** The facts that only the change itself knows. `made` is the id of what was created, `bound` how often it has an entry. Never a secret. */
export type AuditNote = Partial<Omit<AuditEntry, 'action' | 'created_at'>> & {
  made?: number | string;
  bound?: AuditBound;
};

/** What was noted in the transactions under way. */
const notes = new WeakMap<Tx, AuditNote>();

/** Does the work in the transaction, and adds its audit entry with what was noted meanwhile. */
export async function withAuditEntry<T>(
  tx: Tx,
  entryOf: (made: number | string | undefined) => AuditEntry,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  notes.set(tx, {});
  const result = await work(tx);
  const { made, bound, details, ...others } = notes.get(tx) ?? {};
  const described = entryOf(made);
  const entry = { ...described, ...others, details: { ...described.details, ...details } };
  await (bound === undefined ? appendAudit(tx, [entry]) : appendBoundedAudit(tx, bound, entry));
  return result;
}

/** Makes changes that belong to no request: they add no audit entry of their own, and what is noted in them is dropped. */
export const ownChange =
  ({ change }: Pick<CloudStore, 'change'>): Change =>
  (changing) =>
    change((tx) => {
      notes.set(tx, {});
      return changing(tx);
    });

/**
 * Adds something to the audit entry of this change.
 * @throws Error when the change has none: it was made neither by what its request was given nor by `ownChange`
 */
export function noteAudit(tx: Tx, { details, ...others }: AuditNote): void {
  const noted = notes.get(tx);
  if (noted === undefined) throw new Error('A note for the audit log in a change that has no audit entry');
  notes.set(tx, { ...noted, ...others, details: { ...noted.details, ...details } });
}
