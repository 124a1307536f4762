/**
 * Decodes text by its character set: the one of its byte order mark, its XML declaration, or its content type. Bytes that this character
 * set does not explain become U+FFFD, and a plate with that character is no plate (`shared/plate/normalise-plate.ts`).
 */
import { LOST_CHARACTER } from '../../../shared/plate/normalise-plate.js';

/** Other names are not given to a decoder, because a camera may send any text as a name. */
const KNOWN_CHARSET =
  /^(utf-?8|utf-?16(le|be)?|gb_?2312(-80)?|gbk|gb18030|big5(-hkscs)?|(windows-|cp)125[0-8]|iso-?8859-\d{1,2}|latin1|us-ascii|koi8-[ru]|euc-(kr|jp)|shift_jis)$/;
/** Character sets that the decoder knows only by another name. */
const ALIASES = new Map(Object.entries({ utf16: 'utf-16', utf16le: 'utf-16le', utf16be: 'utf-16be' }));
const DECLARATION_BYTES_MAX = 256;
/** This character changes the meaning of the bytes after it in some character sets. */
const ESCAPE = String.fromCharCode(0x1b);

/**
 * Never throws. Where several character sets are declared, the first one that fits the bytes counts. @param contentType of the part or the
 * request
 */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const marked = charsetOfMark(bytes);
  if (marked !== null) return new TextDecoder(marked).decode(bytes);
  const declared = declaredCharsets(bytes, contentType);
  const [first = 'utf-8'] = declared;
  const decoder = new TextDecoder(
    declared.find((charset) => charset !== null && fits(charset, bytes)) ?? first ?? 'utf-8',
  );
  if (first !== null) return decoder.decode(bytes).replace(/^\ufeff/, '');
  // The declared character set is not known: only the characters that nearly all sets share are kept.
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replaceAll(ESCAPE, LOST_CHARACTER)
    .replace(/[\x80-\xff]/g, LOST_CHARACTER);
}

function charsetOfMark([first, second, third, fourth]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  // These are the bytes of `<?` without a mark.
  if (first === 0x3c && second === 0 && third === 0x3f && fourth === 0) return 'utf-16le';
  return first === 0 && second === 0x3c && third === 0 && fourth === 0x3f ? 'utf-16be' : null;
}

/**
 * The declared character sets, UTF-8 first, because text of another set hardly ever happens to be valid UTF-8. null stands for a set that
 * is not known.
 */
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
    // Such as ISO 8859-12, which does not exist.
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
