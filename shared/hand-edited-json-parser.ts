/**
 * Reads JSON that people wrote or changed by hand, as their editors leave it: in UTF-16, with typographic quotes,
 * commas too many, comments. Text that is JSON means what it says; only other text is read in the next best way.
 */

import { errorText } from './error-text.js';

const STRING = String.raw`"(?:[^"\\\n]|\\.)*"`;
const SINGLE = "'\u2018\u2019\u201a\u201b";
const SINGLE_QUOTED = `[${SINGLE}](?:[^${SINGLE}"\\\\\\n]|\\\\.)*[${SINGLE}]`;
const COMMENT = String.raw`//[^\n]*|/\*[\s\S]*?\*/`;
const ODD_BLANK = '[\u00a0\u2000-\u200b\u202f\u3000\ufeff]';
const BESIDE_STRINGS = new RegExp(`${STRING}|${SINGLE_QUOTED}|${COMMENT}|${ODD_BLANK}`, 'g');
const COMMA_TOO_MANY = new RegExp(String.raw`${STRING}|,(?=\s*[}\]])`, 'g');
const DOUBLE_QUOTES = /[\u201c-\u201f\u2033\u00ab\u00bb\uff02]/g;

/**
 * @param content its bytes, or its text
 * @throws Error in words for people, which have nothing of the content
 */
export function parseHandEditedJson(content: string | Uint8Array): unknown {
  const text = (typeof content === 'string' ? content : decoded(content)).replace(/^\ufeff/, '');
  if (text.includes('\0')) throw new Error('it is no text in UTF-8: save it as UTF-8');
  const tidied = tidy(text);
  const attempts = [text, tidied, tidy(text.replace(DOUBLE_QUOTES, '"'))];
  let failure: unknown;
  for (const attempt of attempts) {
    try {
      return JSON.parse(attempt);
    } catch (error) {
      failure ??= error;
    }
  }
  throw new Error(`it is not JSON${placeOf(failure, text)}`);
}

function tidy(text: string): string {
  return text
    .replace(BESIDE_STRINGS, (found) => {
      if (found.startsWith('"')) return found;
      if (found.startsWith('/')) return '';
      return found.length > 1 ? `"${found.slice(1, -1)}"` : ' ';
    })
    .replace(COMMA_TOO_MANY, (found) => (found === ',' ? '' : found));
}

/** @throws Error when it is no text, or one whose letters would be guessed */
function decoded(bytes: Uint8Array): string {
  const [first = 1, second = 1] = bytes;
  // By its mark; or, in a file without one, because JSON begins with a letter of ASCII.
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  try {
    return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is no text in UTF-8: save it as UTF-8');
  }
}

/** The message of the engine shows what stands there, which may be a password. */
function placeOf(error: unknown, text: string): string {
  const [, position] = /at position (\d+)/.exec(errorText(error)) ?? [];
  return position === undefined ? '' : ` (line ${text.slice(0, Number(position)).split('\n').length})`;
}
