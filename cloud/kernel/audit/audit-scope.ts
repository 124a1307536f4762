/**
 * Ties the audit log to changes: the first change of a scope adds the scope's audit entry in its own transaction. So neither is ever there
 * without the other, and no route or service can forget it.
 */
import type { Clock } from '../../../shared/clock.js';
import type { Change, CloudStore, Tx } from '../store/cloud-store.js';
import { appendAudit, type AuditEntry } from './audit-log-queries.js';

type UndatedEntry = Omit<AuditEntry, 'created_at'>;

/** What only the change itself knows. `made` is the id of what was created. Never a secret. */
export type AuditNote = Partial<Omit<UndatedEntry, 'action'>> & { made?: number | string };

/** What was noted in the transactions under way. */
const notes = new WeakMap<Tx, AuditNote>();

/**
 * Runs the work, and gives it what it makes its changes with. The first that is committed adds the audit entry; once the work is over,
 * no more can be made.
 */
export async function inAuditScope<T>(
  scope: { change: Change; clock: Pick<Clock, 'now'>; entryOf: (made: number | string | undefined) => UndatedEntry },
  work: (change: Change) => Promise<T>,
): Promise<T> {
  let state: 'untold' | 'told' | 'over' = 'untold';
  const change: Change = (changing) => {
    if (state === 'over') return Promise.reject(new Error('A change of a request whose work is over'));
    return scope.change(async (tx) => {
      if (state === 'told') return changing(tx);
      notes.set(tx, {});
      const result = await changing(tx);
      const { made, details, ...others } = notes.get(tx) ?? {};
      const entry = scope.entryOf(made);
      const created_at = scope.clock.now();
      await appendAudit(tx, [{ ...entry, ...others, details: { ...entry.details, ...details }, created_at }]);
      tx.onCommit(() => {
        state = 'told';
      });
      return result;
    });
  };
  try {
    return await work(change);
  } finally {
    state = 'over';
  }
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
