/** Messages of the schema for people who write YAML. */

/** Builds the message for an issue; undefined: the schema's own message. */
export function siteReason(issue: { code: string; input?: unknown } & Record<string, unknown>): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeReason(String(issue.expected), issue.input);
    case 'invalid_value':
      if (issue.input === undefined) return 'is required';
      return `must be ${(issue.values as unknown[])
        .map(String)
        .join(', ')
        .replace(/, ([^,]*)$/, ' or $1')}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${String(issue.minimum)}`;
    case 'too_big':
      return `must be at most ${String(issue.maximum)}${issue.origin === 'string' ? ' characters' : ''}`;
    default:
      return undefined;
  }
}

const TYPE_WORDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of keys to values',
};

function typeReason(expected: string, input: unknown): string {
  if (input === undefined) return 'is required';
  const reason = `must be ${TYPE_WORDS[expected] ?? expected}`;
  return expected === 'string' && typeof input !== 'object' ? `${reason}: put it in quotes` : reason;
}
