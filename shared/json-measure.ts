/**
 * Measures JSON text before it is parsed. A parser would first build everything that a hostile text describes, such as a million nested lists
 * or a million unknown keys. The measurement reads each byte once, in the pieces in which it arrives, and keeps nothing of it.
 */

export interface JsonMeasure {
  /** How deep objects and lists are nested; 0 for a bare value. */
  nesting: number;
  /** How many members all objects and lists have together, counted by the commas between them. */
  members: number;
}

/** The bounds of a text. */
export interface JsonBounds {
  /** How deep objects and lists are nested; a bare value is 0 deep, `[[]]` 2. */
  depth: number;
  /** How many keys one object has; a repeated key counts again. */
  keysInObject: number;
  /** How many keys all objects have together. */
  keys: number;
  /** How many objects, lists, texts, numbers and words there are; a key is none. */
  values: number;
}

export type JsonBound = keyof JsonBounds;

export const MARK = { quote: 0x22, comma: 0x2c, listBegin: 0x5b, listEnd: 0x5d, begin: 0x7b, end: 0x7d } as const;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;
const DELETE = 0x7f;
/** So many bytes are read between two looks at whether a bound is broken. */
const LOOK_BYTES = 16 * 1024;
const LOOK_UNITS = Math.floor(LOOK_BYTES / 3);

/** Hears what a scan finds, in numbers alone, so that nothing is allocated: a hostile text may consist of marks only. */
export interface JsonFindings {
  /** Takes a bracket or comma. `depth` is the number of objects and lists that are open after the byte. */
  mark(at: number, byte: number, depth: number): void;
  /** Takes the positions of the quotes of a string. */
  text?(from: number, to: number): void;
  colon?(): void;
  /** Called where a number or a word begins, or whatever else is neither string nor mark. */
  word?(): void;
}

export interface JsonScanner {
  /** Scans the next piece; false: the text can be no JSON, because more is closed than was opened. */
  add(piece: Uint8Array): boolean;
  /** Whether every string, object and list has ended. */
  isWhole(): boolean;
}

/** Scans a text in pieces, which may be cut anywhere. Positions count from the beginning of the first piece. */
export function createJsonScanner(found: JsonFindings): JsonScanner {
  let depth = 0;
  let scanned = 0;
  /** Where the string that is open began; -1: none is. */
  let textFrom = -1;
  let isEscaped = false;
  let isInWord = false;

  /** Handles a byte outside of strings. */
  function see(byte: number, at: number): void {
    const wasInWord = isInWord;
    isInWord = false;
    switch (byte) {
      case MARK.quote:
        textFrom = at;
        isEscaped = false;
        break;
      case MARK.begin:
      case MARK.listBegin:
        depth += 1;
        found.mark(at, byte, depth);
        break;
      case MARK.end:
      case MARK.listEnd:
        depth -= 1;
        if (depth >= 0) found.mark(at, byte, depth);
        break;
      case MARK.comma:
        found.mark(at, byte, depth);
        break;
      case COLON:
        found.colon?.();
        break;
      default:
        // A byte order mark is none.
        isInWord = byte > SPACE && byte <= DELETE;
        if (isInWord && !wasInWord) found.word?.();
    }
  }

  return {
    add(piece) {
      for (let at = 0; at < piece.length && depth >= 0; at++) {
        if (textFrom === -1) see(piece[at] ?? 0, scanned + at);
        if (textFrom === -1) continue;
        // The string began before this piece, or at this byte.
        const from = textFrom === scanned + at ? at + 1 : at;
        const end = endOfString(piece, from, isEscaped);
        if (end === -1) {
          isEscaped = endsEscaped(piece, from, piece.length, isEscaped);
          break;
        }
        found.text?.(textFrom, scanned + end);
        textFrom = -1;
        at = end;
      }
      scanned += piece.length;
      return depth >= 0;
    },
    isWhole: () => depth === 0 && textFrom === -1,
  };
}

/** Scans a whole text. @returns false when a string does not end, or opening and closing brackets do not match in number */
export function scanJson(json: Uint8Array, found: JsonFindings): boolean {
  const scanner = createJsonScanner(found);
  return scanner.add(json) && scanner.isWhole();
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

/** Holds a text to bounds while it arrives. */
export interface JsonGauge {
  /** Takes the next piece and returns the first bound that the text has broken so far; null: none. */
  add(piece: Uint8Array): JsonBound | null;
}

/**
 * Finds the bound that a text breaks. Text within the bounds breaks none, nor does text that `JSON.parse` refuses at
 * the place where it ceases to be JSON. The gauge's memory grows with `bounds.depth` alone.
 */
export function createJsonGauge(bounds: JsonBounds): JsonGauge {
  let broken: JsonBound | null = null;
  let keys = 0;
  // Until its colon a key counts as a value. Its value takes its place, so that a text within the bounds never has too many.
  let values = 0;
  /** The keys of each object that is open, by its depth. */
  const keysOf: number[] = [0];
  let open = 0;

  function hold(bound: JsonBound, count: number): void {
    if (count > bounds[bound]) broken ??= bound;
  }

  const scanner = createJsonScanner({
    mark(_at, byte, depth) {
      if (broken !== null) return;
      open = depth;
      if (byte !== MARK.begin && byte !== MARK.listBegin) return;
      hold('depth', depth);
      hold('values', ++values);
      if (broken === null) keysOf[depth] = 0;
    },
    text: () => hold('values', ++values),
    word: () => hold('values', ++values),
    colon() {
      if (broken !== null) return;
      values -= 1;
      const ofObject = (keysOf[open] ?? 0) + 1;
      keysOf[open] = ofObject;
      hold('keysInObject', ofObject);
      hold('keys', ++keys);
    },
  });

  return {
    add(piece) {
      for (let at = 0; at < piece.length; at += LOOK_BYTES) {
        if (broken !== null || !scanner.add(piece.subarray(at, at + LOOK_BYTES))) break;
      }
      return broken;
    },
  };
}

/** The bound that a whole text breaks first; null: none. Takes bytes of UTF-8, or a text that was decoded. */
export function brokenJsonBound(json: Uint8Array | string, bounds: JsonBounds): JsonBound | null {
  const gauge = createJsonGauge(bounds);
  if (typeof json !== 'string') return gauge.add(json);
  const encoder = new TextEncoder();
  const piece = new Uint8Array(LOOK_BYTES);
  let broken: JsonBound | null = null;
  for (let at = 0; at < json.length && broken === null; at += LOOK_UNITS) {
    // A unit of UTF-16 becomes three bytes at most, so that all of the slice fits. A pair that is cut becomes other characters, but no mark.
    const { written } = encoder.encodeInto(json.slice(at, at + LOOK_UNITS), piece);
    broken = gauge.add(piece.subarray(0, written));
  }
  return broken;
}

/**
 * Finds the quote that ends the string from there on. It uses the native `indexOf`, because an image is one string of megabytes.
 * @param isEscaped whether the byte at `from` is
 */
function endOfString(json: Uint8Array, from: number, isEscaped: boolean): number {
  for (let end = json.indexOf(MARK.quote, from); end !== -1; end = json.indexOf(MARK.quote, end + 1)) {
    if (!endsEscaped(json, from, end, isEscaped)) return end;
  }
  return -1;
}

/**
 * Says whether the byte at `end` is escaped, by the backslashes before it.
 * @param isEscaped whether the byte at `from` is
 */
function endsEscaped(json: Uint8Array, from: number, end: number, isEscaped: boolean): boolean {
  let escapes = 0;
  while (end - 1 - escapes >= from && json[end - 1 - escapes] === BACKSLASH) escapes += 1;
  const isEven = escapes % 2 === 0;
  return end - escapes === from && isEscaped ? isEven : !isEven;
}
