/**
 * Measures JSON text before it is parsed. A parser builds all of a hostile text before anybody can refuse it: a million empty lists one
 * within the other, or a million keys that nobody knows. It looks at each byte once, and keeps nothing.
 */

export interface JsonMeasure {
  /** How deep objects and lists are nested; 0 for a bare value. */
  nesting: number;
  /** How many members objects and lists have in all, counted by the commas between them. */
  members: number;
}

export const MARK = { quote: 0x22, comma: 0x2c, listBegin: 0x5b, listEnd: 0x5d, begin: 0x7b, end: 0x7d } as const;
const BACKSLASH = 0x5c;

/**
 * Calls `mark` for each byte outside of strings that orders the text, and `text` for each string with the positions of its quotes. `depth`
 * counts the objects and lists that are open after the byte. A hostile text is all marks: they come as numbers, of which nothing is kept.
 * @returns false when a string does not end, or the brackets do not match in number
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

/** Measures a whole text; null when it can be no JSON. */
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

/** Finds the quote that ends the string. The search for it is the machine's own, because a picture is one string of megabytes. */
function endOfString(json: Uint8Array, from: number): number {
  for (let end = json.indexOf(MARK.quote, from + 1); end !== -1; end = json.indexOf(MARK.quote, end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}
