/**
 * Measures JSON text before it is parsed. A parser would first build everything that a hostile text describes, such as a million nested lists
 * or a million unknown keys. The measurement reads each byte once and allocates nothing.
 */

export interface JsonMeasure {
  /** How deep objects and lists are nested; 0 for a bare value. */
  nesting: number;
  /** How many members all objects and lists have together, counted by the commas between them. */
  members: number;
}

export const MARK = { quote: 0x22, comma: 0x2c, listBegin: 0x5b, listEnd: 0x5d, begin: 0x7b, end: 0x7d } as const;
const BACKSLASH = 0x5c;

/**
 * Calls `mark` for each structural byte outside of strings, and `text` for each string with the positions of its quotes. `depth` is the
 * number of objects and lists that are open after the byte. Marks are passed as numbers so that nothing is allocated, because a hostile text
 * may consist of marks only.
 * @returns false when a string does not end, or opening and closing brackets do not match in number
 */
export function scanJson(
  json: Uint8Array,
  found: { mark(at: number, byte: number, depth: number): void; text?(from: number, to: number): void },
): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    switch (byte) {
      case MARK.quote: {
        const end = endOfString(json, at);
        if (end === -1) return false;
        found.text?.(at, end);
        at = end;
        break;
      }
      case MARK.begin:
      case MARK.listBegin:
        depth += 1;
        found.mark(at, byte, depth);
        break;
      case MARK.end:
      case MARK.listEnd:
        depth -= 1;
        if (depth < 0) return false;
        found.mark(at, byte, depth);
        break;
      case MARK.comma:
        found.mark(at, byte, depth);
        break;
    }
  }
  return depth === 0;
}

/** Measures a whole text; null when it cannot be JSON. */
export function measureJson(json: Uint8Array): JsonMeasure | null {
  const measure: JsonMeasure = { nesting: 0, members: 0 };
  const isWhole = scanJson(json, {
    mark(_at, byte, depth) {
      if (byte === MARK.comma) measure.members += 1;
      else measure.nesting = Math.max(measure.nesting, depth);
    },
  });
  return isWhole ? measure : null;
}

/** Finds the quote that ends the string. It uses the native `indexOf`, because an image is one string of megabytes. */
function endOfString(json: Uint8Array, from: number): number {
  for (let end = json.indexOf(MARK.quote, from + 1); end !== -1; end = json.indexOf(MARK.quote, end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}
