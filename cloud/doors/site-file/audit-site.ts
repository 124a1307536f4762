/** Translates what an apply of a site file did into audit entries. Pure. */
import { auditAction, auditTarget, type AuditVerb } from '../../rest/entry.js';
import { type SiteLine, siteLines } from './site-report.js';
import type { PresentThing, SiteId, ThingKey } from './site-things.js';
import type { SiteStep } from './site-steps.js';
import type { AuditEntry } from '../../kernel/audit/entry.js';

type Thing = Pick<PresentThing, 'resource' | 'key' | 'references'>;

const VERBS: Partial<Record<SiteLine['action'], AuditVerb>> = {
  created: 'create',
  changed: 'update',
  removed: 'delete',
};

/**
 * Builds one audit entry for each thing that was created, changed or removed; `details.site_file` is its name in the file.
 * @param done.ids of all things that are there, or were before they were removed
 */
export function auditEntries(
  steps: SiteStep[],
  done: { ids: ReadonlyMap<ThingKey, SiteId>; now: number },
): AuditEntry[] {
  const things = new Map<ThingKey, Thing>(
    steps.map((step) => ('present' in step ? step.present : step.thing)).map((thing) => [thing.key, thing]),
  );
  return siteLines(steps).flatMap(({ key, action, label, fields }) => {
    const verb = VERBS[action];
    const thing = things.get(key);
    const id = done.ids.get(key);
    if (verb === undefined || thing === undefined || id === undefined) return [];
    const account_id = done.ids.get(accountOf(thing, things) ?? '');
    const lot_id = done.ids.get(lotOf(thing, things) ?? '');
    return {
      account_id: typeof account_id === 'number' ? account_id : null,
      lot_id: typeof lot_id === 'number' ? lot_id : null,
      actor_type: 'operator' as const,
      actor_id: null,
      action: auditAction(thing.resource, verb),
      target: auditTarget(thing.resource, id),
      details: { site_file: label, ...(fields.length === 0 ? {} : { fields }) },
      created_at: done.now,
    };
  });
}

/** A part of a thing names no account; the thing does. */
function accountOf(thing: Thing | undefined, things: ReadonlyMap<ThingKey, Thing>): ThingKey | undefined {
  if (thing === undefined || thing.resource.table === 'accounts') return thing?.key;
  const { account_id, ...others } = thing.references;
  if (typeof account_id === 'string') return account_id;
  const [owner] = Object.values(others);
  return typeof owner === 'string' ? accountOf(things.get(owner), things) : undefined;
}

/** A thing names its lot, or something that does: a place its zone. What several lots share names none. */
function lotOf(thing: Thing | undefined, things: ReadonlyMap<ThingKey, Thing>): ThingKey | undefined {
  if (thing === undefined || thing.resource.table === 'lots') return thing?.key;
  const { account_id: _account, ...others } = thing.references;
  for (const named of Object.values(others)) {
    const lot = named === null ? undefined : lotOf(things.get(named), things);
    if (lot !== undefined) return lot;
  }
  return undefined;
}
