/** Recognises a document that holds a plate, in whatever form: such a document must not be taken for a sign of life. */

const VALUES_MAX = 2_000;
const DEPTH_MAX = 16;
const PLATE_KEY =
  /^(licen[cs]e_?(plate(_?(number|no|text))?|number)|plate_?(number|num|no|text|license|utf8|unicode|ascii)|number_?plate|plate)$/i;

/**
 * Says whether a member with a usual name for a plate has a value. Accepts anything, and looks at a bounded part of it.
 */
export function hasPlate(document: unknown): boolean {
  const open: { value: unknown; depth: number }[] = [{ value: document, depth: 0 }];
  for (let looked = 0; looked < VALUES_MAX; looked++) {
    const next = open.pop();
    if (next === undefined) return false;
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) continue;
    for (const [key, member] of Object.entries(value).slice(0, VALUES_MAX)) {
      if (PLATE_KEY.test(key) && hasValue(member)) return true;
      open.push({ value: member, depth: depth + 1 });
    }
  }
  return false;
}

function hasValue(value: unknown): boolean {
  if (typeof value === 'string') return /[\p{L}\p{Nd}]/u.test(value);
  return typeof value === 'number' || (typeof value === 'object' && value !== null && Object.keys(value).length > 0);
}
