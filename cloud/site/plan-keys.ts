/** What becomes of declared keys whose window or product changes, or whose product is given another master key. Pure. */
import type { WantedStep } from './plan-site.js';
import type { PresentThing, ThingKey } from './site-things.js';

/**
 * Such a key is as new: another credential id, since what was handed out before has other bounds, and the status that its
 * window makes. What a person blocked stays blocked.
 */
export function renewKeys(steps: WantedStep[], present: ReadonlyMap<ThingKey, PresentThing>): WantedStep[] {
  const paired = new Set(steps.filter((step) => isPairedAnew(step, present)).map(({ thing }) => thing.key));
  const statuses = new Map<ThingKey | null, string>();
  const tokens = steps.map((step) => {
    const { thing } = step;
    if (thing.table !== 'operation_tokens' || step.action === 'create') return step;
    // Its product's new pairing makes every key invalid first.
    const isInvalidated = paired.has(thing.references.product_id ?? '');
    const before = present.get(thing.key)?.row.status;
    if (before === 'blocked' || (step.action === 'unchanged' && !isInvalidated)) return step;
    const { status, credential_id } = thing.initially as { status: string; credential_id: number };
    if (before === status && !isInvalidated) return withValues(step, { credential_id });
    statuses.set(thing.partOf, status);
    return withValues(step, { credential_id, status });
  });
  return tokens.map((step) => {
    const status = statuses.get(step.thing.key);
    return status === undefined || step.action === 'create' ? step : withValues(step, { status });
  });
}

/** Whether a product that has a master key is given another one. */
export function isPairedAnew(step: WantedStep, present: ReadonlyMap<ThingKey, PresentThing>): boolean {
  if (step.action !== 'change' || step.write.sealed.master_key_sealed === undefined) return false;
  return typeof present.get(step.thing.key)?.row.master_key_sealed === 'string';
}

/** The step, writing these too. */
export function withValues(
  step: Exclude<WantedStep, { action: 'create' }>,
  values: Record<string, string | number | null>,
): WantedStep {
  const write = step.action === 'change' ? step.write : { values: {}, sealed: {}, references: {}, links: [] };
  return { ...step, action: 'change', write: { ...write, values: { ...values, ...write.values } } };
}
