/**
 * Decodes text by the character set that it declares: by a byte order mark, in its XML declaration, or in its content type. What it does not
 * declare stays as U+FFFD, and a plate with one is no plate (`shared/plate/normalise-plate.ts`).
 */
import { LOST_CHARACTER } from '../../../shared/plate/normalise-plate.js';

/** Only these: a decoder for any name would be asked for names that a camera invents. */
const KNOWN_CHARSET =
  /^(utf-?8|utf-?16(le|be)?|gb_?2312(-80)?|gbk|gb18030|big5(-hkscs)?|(windows-|cp)125[0-8]|iso-?8859-\d{1,2}|latin1|us-ascii|koi8-[ru]|euc-(kr|jp)|shift_jis)$/;
/** How those are called that a decoder knows by another name only. */
const ALIASES = new Map(Object.entries({ utf16: 'utf-16', utf16le: 'utf-16le', utf16be: 'utf-16be' }));
const DECLARATION_BYTES_MAX = 256;
/** By which some character sets change the meaning of the bytes that follow. */
const ESCAPE = String.fromCharCode(0x1b);

/** Never throws. Of several declared character sets that counts which the bytes are in. @param contentType what stands beside the text */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const marked = charsetOfMark(bytes);
  if (marked !== null) return new TextDecoder(marked).decode(bytes);
  const declared = declaredCharsets(bytes, contentType);
  const [first = 'utf-8'] = declared;
  const decoder = new TextDecoder(
    declared.find((charset) => charset !== null && fits(charset, bytes)) ?? first ?? 'utf-8',
  );
  if (first !== null) return decoder.decode(bytes).replace(/^\ufeff/, '');
  // Nobody knows what stands for what: only what is the same in nearly all character sets is kept.
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replaceAll(ESCAPE, LOST_CHARACTER)
    .replace(/[\x80-\xff]/g, LOST_CHARACTER);
}

function charsetOfMark([first, second, third, fourth]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  // `<?` without a mark.
  if (first === 0x3c && second === 0 && third === 0x3f && fourth === 0) return 'utf-16le';
  return first === 0 && second === 0x3c && third === 0 && fourth === 0x3f ? 'utf-16be' : null;
}

/** UTF-8 first: hardly any text of another character set is in it by chance. null: one that is not known. */
function declaredCharsets(bytes: Uint8Array, contentType: string): (string | null)[] {
  const names = [xmlEncoding(bytes), /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType.slice(0, 256))?.[1]];
  const charsets = names.flatMap((name) => (name === undefined ? [] : [knownCharset(name.toLowerCase())]));
  return charsets.toSorted((one, other) => Number(other === 'utf-8') - Number(one === 'utf-8'));
}

function xmlEncoding(bytes: Uint8Array): string | undefined {
  const length = Math.min(bytes.byteLength, DECLARATION_BYTES_MAX);
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1');
  return /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
}

function knownCharset(name: string): string | null {
  if (!KNOWN_CHARSET.test(name)) return null;
  try {
    return new TextDecoder(ALIASES.get(name) ?? name.replace(/^gb_?2312.*$/, 'gb2312').replace(/^iso8859/, 'iso-8859'))
      .encoding;
  } catch {
    // ISO 8859 has no part 12.
    return null;
  }
}

function fits(charset: string, bytes: Uint8Array): boolean {
  try {
    new TextDecoder(charset, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
