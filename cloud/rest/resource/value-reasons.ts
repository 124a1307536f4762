/**
 * Says what is wrong with a value, for people: schemas give codes and limits, and the words are here, once for REST and once for site files.
 * Reasons begin in lower case and leave out the field's name, as in `values.ts`.
 */

/** An issue of a schema; which keys it has depends on its code. */
export type Issue = { code: string; input?: unknown } & Record<string, unknown>;

interface Words {
  missing: string;
  type(expected: string, input: unknown): string;
  oneOf(values: readonly unknown[]): string;
  charsMin(min: number): string;
  charsMax(max: number): string;
  itemsMin(min: number): string;
  itemsMax(max: number): string;
  /** For an issue that no other word is for; undefined: the schema's own message. */
  other: string | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
};
const REST_TYPES: Readonly<Record<string, string>> = {
  ...TYPES,
  string: 'a string',
  object: 'an object',
  record: 'an object',
  null: 'null',
};
const SITE_TYPES: Readonly<Record<string, string>> = {
  ...TYPES,
  string: 'text',
  object: 'a mapping of keys to values',
};

/** For programs that send JSON. */
const REST_WORDS: Words = {
  missing: 'required',
  type: (expected) => `must be ${REST_TYPES[expected] ?? expected}`,
  oneOf: (values) => (values.length === 1 ? `must be ${String(values[0])}` : `must be one of: ${values.join(', ')}`),
  charsMin: (min) => (min <= 1 ? 'must not be empty' : `must have at least ${min} characters`),
  charsMax: (max) => `must have at most ${max} characters`,
  itemsMin: (min) => (min <= 1 ? 'must not be empty' : `must have at least ${min} items`),
  itemsMax: (max) => `must have at most ${max} items`,
  other: 'is not valid',
};

/** For people who write YAML. */
const SITE_WORDS: Words = {
  missing: 'is required',
  type(expected, input) {
    const reason = `must be ${SITE_TYPES[expected] ?? expected}`;
    return expected === 'string' && typeof input !== 'object' ? `${reason}: put it in quotes` : reason;
  },
  oneOf: (values) => `must be ${values.join(', ').replace(/, ([^,]*)$/, ' or $1')}`,
  charsMin: () => 'must not be empty',
  charsMax: (max) => `must be at most ${max} characters`,
  itemsMin: (min) => `must be at least ${min}`,
  itemsMax: (max) => `must be at most ${max}`,
  other: undefined,
};

/** The reason for an issue in a body or query of REST. It is for `error` of a parse; a schema's own message comes before it. */
export const restReason = (issue: Issue): string | undefined => reasonOf(issue, REST_WORDS);

/** The reason for an issue in a site file; undefined: the schema's own message. */
export const siteReason = (issue: Issue): string | undefined => reasonOf(issue, SITE_WORDS);

function reasonOf(issue: Issue, words: Words): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? words.missing : words.type(String(issue.expected), issue.input);
    case 'invalid_value':
      return issue.input === undefined ? words.missing : words.oneOf(issue.values as unknown[]);
    case 'too_small':
      return sizeReason(issue.origin, Number(issue.minimum), {
        chars: words.charsMin,
        items: words.itemsMin,
        least: 'least',
      });
    case 'too_big':
      return sizeReason(issue.origin, Number(issue.maximum), {
        chars: words.charsMax,
        items: words.itemsMax,
        least: 'most',
      });
    case 'invalid_union':
      return issue.input === undefined ? words.missing : (unionReason(issue.errors, words) ?? words.other);
    default:
      return words.other;
  }
}

function sizeReason(
  origin: unknown,
  limit: number,
  words: { chars(limit: number): string; items(limit: number): string; least: 'least' | 'most' },
): string {
  if (origin === 'string') return words.chars(limit);
  if (origin === 'array' || origin === 'set') return words.items(limit);
  return `must be at ${words.least} ${limit}`;
}

/** The values that all branches of a union allow, or what is wrong within the one branch of the value's type. */
function unionReason(branches: unknown, words: Words): string | undefined {
  const firsts = (branches as (Issue & { message: string; path: unknown[] })[][]).map(([first]) => first);
  const within = firsts.find(
    (issue) => issue !== undefined && issue.code !== 'invalid_type' && issue.code !== 'invalid_value',
  );
  if (within !== undefined) return within.path.length === 0 ? within.message : undefined;
  const values = firsts.flatMap((issue) => (issue?.code === 'invalid_value' ? (issue.values as unknown[]) : []));
  if (values.length > 0) return words.oneOf(values);
  const types = firsts.flatMap((issue) => (issue === undefined ? [] : [words.type(String(issue.expected), {})]));
  return types.length === 0 ? undefined : [...new Set(types)].join(' or ').replaceAll(' or must be ', ' or ');
}
