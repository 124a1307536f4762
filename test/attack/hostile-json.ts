/** JSON, or what begins like it, that is made to cost whoever reads it more than it cost to send. */

/** Each about as many bytes long as it is asked for. */
export const HOSTILE_JSON: Readonly<Record<string, (bytes: number) => string>> = {
  'lists, one within the other': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'objects, one within the other': (bytes) => `${'{"a":'.repeat(bytes / 6)}0${'}'.repeat(bytes / 6)}`,
  'lists that never end': (bytes) => '['.repeat(bytes),
  'objects that never end': (bytes) => '{"":'.repeat(bytes / 4),
  'more ends than beginnings': (bytes) => `[${']'.repeat(bytes)}`,
  'as many keys as fit': (bytes) => `{${'"":0,'.repeat(bytes / 5)}"":0}`,
  'the same key': (bytes) => `{${'"__proto__":0,'.repeat(bytes / 14)}"":0}`,
  'as many members as fit': (bytes) => `[${'0,'.repeat(bytes / 2)}0]`,
  'commas alone': (bytes) => ','.repeat(bytes),
  'one long string': (bytes) => `["${'x'.repeat(bytes)}"]`,
  'one long number': (bytes) => `[${'9'.repeat(bytes)}]`,
  'empty strings': (bytes) => `[${'"",'.repeat(bytes / 3)}""]`,
  'escaped quotes': (bytes) => `["${'\\"'.repeat(bytes / 2)}"]`,
  'backslashes before the end of a string': (bytes) => `["${'\\\\'.repeat(bytes / 2)}"]`,
  'backslashes before the end of many strings': (bytes) => `[${`"${'\\'.repeat(98)}",`.repeat(bytes / 101)}""]`,
  'backslashes that escape the end of a string': (bytes) => `["${'\\'.repeat(bytes + 1 - (bytes % 2))}"]`,
  'escapes of characters': (bytes) => `["${'\\u0000'.repeat(bytes / 6)}"]`,
  'a string that never ends': (bytes) => `["${'x'.repeat(bytes)}`,
  'a string that never ends, of escaped quotes': (bytes) => `["${'\\"'.repeat(bytes / 2)}`,
  'a string that never ends, after many that do': (bytes) => `[${'"",'.repeat(bytes / 3)}"`,
  spaces: (bytes) => `[${' '.repeat(bytes)}]`,
  'bytes that are no text': (bytes) => `["${'\uD800'.repeat(bytes / 3)}"]`,
};
