/** What an apply did, for the audit log. Pure. */
import type { AuditEntry } from '../store/queries/audit-log.js';
import type { SiteStep } from './plan-site.js';
import { siteLines } from './site-report.js';
import type { PresentThing, ThingKey } from './site-things.js';

type Thing = Pick<PresentThing, 'table' | 'key' | 'references'>;

/** One entry per thing that was created, changed or removed. */
export function auditEntries(
  steps: SiteStep[],
  done: { accountIds: ReadonlyMap<ThingKey, unknown>; now: number },
): AuditEntry[] {
  const things = new Map<ThingKey, Thing>(
    steps.map((step) => ('present' in step ? step.present : step.thing)).map((thing) => [thing.key, thing]),
  );
  return siteLines(steps).flatMap(({ key, action, label, fields }) => {
    if (action === 'unchanged' || action === 'kept') return [];
    const account = accountOf(things.get(key), things);
    const account_id = account === undefined ? undefined : done.accountIds.get(account);
    return {
      account_id: typeof account_id === 'number' ? account_id : null,
      actor_type: 'operator' as const,
      actor_id: null,
      action: `site.${action}`,
      target: label,
      details: fields.length === 0 ? {} : { fields },
      created_at: done.now,
    };
  });
}

/** Parts of things say no account of their own. */
function accountOf(thing: Thing | undefined, things: ReadonlyMap<ThingKey, Thing>): ThingKey | undefined {
  if (thing === undefined || thing.table === 'accounts') return thing?.key;
  const { account_id, ...others } = thing.references;
  if (typeof account_id === 'string') return account_id;
  const [owner] = Object.values(others);
  return typeof owner === 'string' ? accountOf(things.get(owner), things) : undefined;
}
