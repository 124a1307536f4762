/**
 * Ties the audit log to changes: of what is changed within a scope, the first change adds the scope's entry in its own
 * transaction, so that neither is ever there without the other, and no route or service can forget it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Db } from './cloud-store.js';
import { appendAudit, type AuditEntry } from './queries/audit-log.js';

type Told = Omit<AuditEntry, 'created_at'>;

/** What only the change itself knows. `made` is the id of what came to be. Never a secret. */
export type AuditNote = Partial<Omit<Told, 'action'>> & { made?: number | string };

export interface AuditScope {
  /** Adds the entry, unless a change has already, or the work is over. */
  write(tx: Db, now: number): Promise<void>;
  /** What was written is there to stay. */
  committed(): void;
}

interface OpenScope extends AuditScope {
  note(note: AuditNote): void;
}

const scopes = new AsyncLocalStorage<OpenScope>();

/** Does the work; the first change it makes is told. What it leaves running is not of the scope any more. */
export async function inAuditScope<T>(
  told: (made: number | string | undefined) => Told,
  work: () => Promise<T>,
): Promise<T> {
  let isOpen = true;
  let isWritten = false;
  let noted: AuditNote = {};
  const scope: OpenScope = {
    note({ details, ...note }) {
      noted = { ...noted, ...note, details: { ...noted.details, ...details } };
    },
    async write(tx, now) {
      if (!isOpen) return;
      const { made, details, ...others } = noted;
      const entry = told(made);
      await appendAudit(tx, [{ ...entry, ...others, details: { ...entry.details, ...details }, created_at: now }]);
      isWritten = true;
    },
    committed() {
      if (isWritten) isOpen = false;
    },
  };
  try {
    return await scopes.run(scope, work);
  } finally {
    isOpen = false;
  }
}

/** Within a change: adds to what the audit log will say of it. */
export function noteAudit(note: AuditNote): void {
  scopes.getStore()?.note(note);
}

/** Of the work that asks. */
export const auditScope = (): AuditScope | undefined => scopes.getStore();
