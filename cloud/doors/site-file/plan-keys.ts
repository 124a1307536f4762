/** Plans declared keys whose window or product changes, or whose product gets another master key. Pure. */
import type { PresentThing, ThingKey } from './site-things.js';
import type { WantedStep } from './site-steps.js';

/**
 * Such a key counts as new: it gets another credential id, because earlier credentials have other bounds, and the status that follows
 * from its window. A key that a person blocked remains blocked.
 */
export function renewKeys(steps: WantedStep[], present: ReadonlyMap<ThingKey, PresentThing>): WantedStep[] {
  const paired = new Set(steps.filter((step) => isPairedAnew(step, present)).map(({ thing }) => thing.key));
  const statuses = new Map<ThingKey | null, string>();
  const tokens = steps.map((step) => {
    const { thing } = step;
    if (thing.resource.table !== 'operation_tokens' || step.action === 'create') return step;
    // The new pairing of its product first makes every key invalid.
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

/** Whether a product that has a master key gets another one. */
export function isPairedAnew(step: WantedStep, present: ReadonlyMap<ThingKey, PresentThing>): boolean {
  if (step.action !== 'change' || step.write.sealed.master_key_sealed === undefined) return false;
  return typeof present.get(step.thing.key)?.row.master_key_sealed === 'string';
}

/** Whether a key gets other credentials than it had. */
export function isRenewed({ thing, write }: Extract<WantedStep, { action: 'change' }>): boolean {
  return thing.resource.table === 'operation_tokens' && write.values.credential_id !== undefined;
}

/** Adds values to what the step writes. */
export function withValues(
  step: Exclude<WantedStep, { action: 'create' }>,
  values: Record<string, string | number | null>,
): WantedStep {
  const write = step.action === 'change' ? step.write : { values: {}, sealed: {}, references: {}, links: [] };
  return { ...step, action: 'change', write: { ...write, values: { ...values, ...write.values } } };
}
