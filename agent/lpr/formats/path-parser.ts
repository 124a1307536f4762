/** Follows a path of a mapping into a document. A step is a key, an index, or `[Key=Value]` for the item of a list that has this value. */

type Step = { key: string } | { index: number } | { where: string; is: string };

const STEP = /\[([^\]]*)\]|[^.[\]]+/g;

/** Parsed paths are kept, because they come from tables of the program and from the few mappings of a configuration. */
const known = new Map<string, readonly Step[]>();
const KNOWN_MAX = 1_000;

function stepsOf(path: string): readonly Step[] {
  const steps = known.get(path);
  if (steps !== undefined) return steps;
  const parsed = [...path.matchAll(STEP)].map(([text, inside]): Step => {
    if (inside === undefined) return { key: text };
    if (/^\d+$/.test(inside)) return { index: Number(inside) };
    const equals = inside.indexOf('=');
    return { where: inside.slice(0, equals), is: inside.slice(equals + 1) };
  });
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(path, parsed);
  return parsed;
}

/** How many items of a list are searched. */
const LOOKED_AT_MAX = 200;

/**
 * Returns the value at a path; undefined: there is none. A single value where a list is expected counts as a list of one, because XML and
 * some cameras write lists of one in this way.
 */
export function valueAt(document: unknown, path: string): unknown {
  let at = document;
  for (const step of stepsOf(path)) {
    if ('key' in step) at = keyOf(at, step.key);
    else if ('index' in step) at = Array.isArray(at) ? at[step.index] : step.index === 0 ? at : undefined;
    else {
      const items: readonly unknown[] = Array.isArray(at) ? at.slice(0, LOOKED_AT_MAX) : [at];
      at = items.find((item) => keyOf(item, step.where) === step.is);
    }
  }
  return at;
}

function keyOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** The text at the first of these paths that has one. Numbers and booleans count as text; empty: no path has a text. */
export function textAt(document: unknown, paths: readonly string[] | null): string {
  for (const path of paths ?? []) {
    const text = plainText(valueAt(document, path));
    if (text !== '') return text;
  }
  return '';
}

export function plainText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
