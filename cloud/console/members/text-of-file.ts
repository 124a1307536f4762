/** The text of a file that somebody chose, whatever program wrote it. */

/** The encodings of older programs for spreadsheets, by the language of their user. */
export type LegacyEncoding = 'windows-1252' | 'windows-1250';

export interface FileText {
  text: string;
  encoding: 'utf-8' | 'utf-16le' | LegacyEncoding;
}

/** @param legacy as what bytes are read that are no UTF-8 */
export function textOfFile(bytes: Uint8Array, legacy: LegacyEncoding): FileText {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  for (const encoding of isUtf16 ? (['utf-16le'] as const) : (['utf-8', legacy] as const)) {
    try {
      return { text: new TextDecoder(encoding, { fatal: encoding === 'utf-8' }).decode(bytes), encoding };
    } catch {
      // It holds what no UTF-8 holds: then it is the older one.
    }
  }
  return { text: '', encoding: legacy };
}
