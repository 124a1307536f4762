/** What the audit log is narrowed down to by a kind of entries: a part of its actions, or several actions. */

/**
 * All that is done to barriers and gates, and all that moves them, whatever it is called by: of their `product.` actions alone most movements
 * would be missing.
 */
export const PRODUCT_ACTIONS = [
  'product.create',
  'product.update',
  'product.delete',
  'product.state',
  'product.settings',
  'product.pair',
  'product.bound_license.create',
  'product.bound_license.delete',
  'lot.release',
  'lot.release.clear',
  'weblink.operation',
  'local_console.operation',
  'local_console.let_in',
  'local_console.release',
  'local_console.release_clear',
] as const;

/** The filter of a kind; empty: everything. */
export function filterOfKind(kind: string): string[] {
  if (kind === '') return [];
  return [kind === 'product' ? `action:in:${PRODUCT_ACTIONS.join(',')}` : `action:like:${kind}`];
}
