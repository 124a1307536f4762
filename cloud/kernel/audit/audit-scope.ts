/**
 * Ties the audit log to changes: the first change within a scope adds the scope's audit entry in its own transaction. So neither is
 * ever there without the other, and no route or service can forget it.
 */
import { createCarried } from '../store/carried.js';
import { withChangeHook } from '../store/change-hooks.js';
import { appendAudit, type AuditEntry } from './audit-log-queries.js';

type UndatedEntry = Omit<AuditEntry, 'created_at'>;

/** What only the change itself knows. `made` is the id of what was created. Never a secret. */
export type AuditNote = Partial<Omit<UndatedEntry, 'action'>> & { made?: number | string };

const notes = createCarried<(note: AuditNote) => void>();

/** Runs the work; its first change adds the audit entry. What the work leaves running is outside the scope. */
export async function inAuditScope<T>(
  entryOf: (made: number | string | undefined) => UndatedEntry,
  work: () => Promise<T>,
): Promise<T> {
  let isOpen = true;
  let noted: AuditNote = {};
  const note = ({ details, ...others }: AuditNote): void => {
    noted = { ...noted, ...others, details: { ...noted.details, ...details } };
  };
  try {
    return await withChangeHook(
      async (tx, now) => {
        if (!isOpen) return;
        const { made, details, ...others } = noted;
        const entry = entryOf(made);
        await appendAudit(tx, [{ ...entry, ...others, details: { ...entry.details, ...details }, created_at: now }]);
        tx.onCommit(() => {
          isOpen = false;
        });
      },
      () => notes.run(note, work),
    );
  } finally {
    isOpen = false;
  }
}

/** Adds something to the audit entry. Call it within a change. */
export function noteAudit(note: AuditNote): void {
  notes.get()?.(note);
}
