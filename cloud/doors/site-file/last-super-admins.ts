/** Finds accounts that a plan would leave without a Super Admin, which REST refuses as well. Pure. */
import { ROLE_IDS } from '../../kernel/auth/entry.js';
import type { SiteProblem } from './site-items.js';
import type { SiteStep } from './site-steps.js';
import type { DeclaredThing, PresentThing, ThingKey } from './site-things.js';

const SUPER_ADMIN = ROLE_IDS['Super Admin'];
const REASON = 'the last Super Admin of an account stays one: give another user this role first';

/** An account that has no Super Admin is left as it is. */
export function lastSuperAdminProblems(steps: readonly SiteStep[], present: readonly PresentThing[]): SiteProblem[] {
  const superAdmins = superAdminsByAccount(present);
  const ofUsers = steps.filter(
    (step) => ('present' in step ? step.present : step.thing).resource.table === 'account_users',
  );
  const problems: SiteProblem[] = [];
  for (const [account, before] of superAdmins) {
    const ofAccount = ofUsers.filter((step) => accountOf(step) === account);
    const after = new Set(before);
    for (const step of ofAccount) {
      const role = 'write' in step ? step.write.values.account_user_role_id : undefined;
      if (step.action === 'remove') after.delete(step.present.key);
      else if (role === SUPER_ADMIN) after.add(keyOf(step));
      else if (role !== undefined) after.delete(keyOf(step));
    }
    if (after.size > 0) continue;
    const demoted = ofAccount.flatMap((step) =>
      step.action === 'change' && before.has(step.thing.key) ? [step.thing] : [],
    );
    problems.push(
      ...(demoted.length > 0 ? demoted.map(problemOf) : [{ path: usersOf(steps, account), reason: REASON }]),
    );
  }
  return problems;
}

const problemOf = ({ path }: DeclaredThing): SiteProblem => ({ path: [...path, 'role'], reason: REASON });

const keyOf = (step: SiteStep): ThingKey => ('present' in step ? step.present : step.thing).key;

const accountOf = (step: SiteStep): ThingKey =>
  ('present' in step ? step.present : step.thing).references.account_id ?? '';

function superAdminsByAccount(present: readonly PresentThing[]): Map<ThingKey, Set<ThingKey>> {
  const byAccount = new Map<ThingKey, Set<ThingKey>>();
  for (const { resource, key, row, references } of present) {
    if (resource.table !== 'account_users' || row.account_user_role_id !== SUPER_ADMIN) continue;
    const account = references.account_id ?? '';
    byAccount.set(account, (byAccount.get(account) ?? new Set()).add(key));
  }
  return byAccount;
}

/** A removed user is not in the file, so the problem is that of the list in which it was. */
function usersOf(steps: readonly SiteStep[], account: ThingKey): SiteProblem['path'] {
  const [path] = steps.flatMap((step) => ('thing' in step && step.thing.key === account ? [step.thing.path] : []));
  return [...(path ?? []), 'users'];
}
