/** Text of others on a terminal, which obeys what it is sent: nothing in it may steer the terminal, or read differently from what it is. */

/**
 * Everything that could move the cursor, colour the rest, or turn the order of the text: control characters, line ends
 * of Unicode, and the marks of writing direction.
 */
const HARMFUL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** One line, in which each character that the terminal would obey is a question mark. */
export const printable = (text: string): string => text.replaceAll(/[\t\r\n]+/g, ' ').replaceAll(HARMFUL, '?');

/** The same for a text of several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/**
 * A value as JSON, in which these characters are escaped: a program reads what was there, and a terminal obeys nothing.
 * @param indent of what lies in the value; left out: one line
 */
export function printableJson(value: unknown, indent = 0, replacer?: (key: string, value: unknown) => unknown): string {
  const escaped = (character: string) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, replacer, indent).replaceAll(HARMFUL, escaped);
}
