/**
 * Splits a multipart body as cameras write it. Cameras differ from RFC 2046: a comma in place of the semicolon in the content type, no
 * space between parameters, LF in place of CRLF, a blank line after the boundary, no final boundary, JPEG bytes that contain the boundary.
 * The Content-Length of a part counts when the boundary follows there. Otherwise the boundary is searched for line by line, so that no body
 * costs more than a few looks at each of its bytes.
 */

const PARTS_MAX = 32;
const HEADER_LINES_MAX = 32;
const HEADER_LINE_BYTES_MAX = 4096;
const BOUNDARY_BYTES_MAX = 256;

export interface MultipartPart {
  /** `name` and `filename` of Content-Disposition; empty when absent. */
  name: string;
  filename: string;
  /** Lower case, without parameters; empty when absent. */
  contentType: string;
  /** A view of the body's bytes, not a copy. */
  content: Uint8Array;
}

const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;

export const isMultipart = (contentType: string): boolean => /^\s*multipart\//i.test(contentType);

/** A body that is not multipart, as a part without a name. */
export const wholeBody = (body: Uint8Array): MultipartPart => ({
  name: '',
  filename: '',
  contentType: '',
  content: body,
});

/** The parts of a multipart body. Any other body is one part, and so is a multipart body that holds no boundary. */
export const partsOf = (body: Uint8Array, contentType: string): MultipartPart[] =>
  (isMultipart(contentType) ? splitMultipart(body, contentType) : null) ?? [wholeBody(body)];

/** Finds the first part of a body that is still arriving; null: the part may not be complete yet. */
export function firstWholePart(arrived: Uint8Array, contentType: string): MultipartPart | null {
  const body = bufferOf(arrived);
  const found = findDelimiter(body, contentType);
  const first = found?.first === undefined ? null : readPart(body, found.delimiter, found.first);
  return first?.next === undefined ? null : first.part;
}

/** Returns the parts in their order, at most 32; null when the body holds no boundary. */
export function splitMultipart(bytes: Uint8Array, contentType: string): MultipartPart[] | null {
  const body = bufferOf(bytes);
  const found = findDelimiter(body, contentType);
  if (found === null) return null;
  const { delimiter } = found;
  const parts: MultipartPart[] = [];
  let position = found.first;
  while (position !== undefined && parts.length < PARTS_MAX) {
    const read = readPart(body, delimiter, position);
    if (read === null) break;
    parts.push(read.part);
    position = read.next;
  }
  return parts;
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Reads the part that begins at `from`; `next` is where the one after it begins, undefined after the last. */
function readPart(
  body: Buffer,
  delimiter: Buffer,
  from: number,
): { part: MultipartPart; next: number | undefined } | null {
  const head = readHeaders(body, from);
  if (head === null) return null;
  const { content, next } = readContent(body, delimiter, head);
  const disposition = head.headers.get('content-disposition') ?? '';
  const part = {
    name: parameterOf(disposition, 'name'),
    filename: parameterOf(disposition, 'filename'),
    contentType: (head.headers.get('content-type') ?? '').split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? '',
    content,
  };
  return { part, next };
}

/**
 * Finds the line between parts, and where the first part begins. The content type names that line, with or without its dashes; otherwise it
 * is the first line of the body.
 */
function findDelimiter(body: Buffer, contentType: string): { delimiter: Buffer; first: number | undefined } | null {
  const match = /boundary\s*=\s*(?:"([^"\r\n]*)"|([^;,\s]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2] ?? '';
  const candidates = boundary === '' ? [] : [`--${boundary}`, boundary];
  for (const candidate of candidates) {
    const delimiter = Buffer.from(candidate, 'latin1');
    if (delimiter.length > BOUNDARY_BYTES_MAX) continue;
    const found = nextDelimiter(body, delimiter, 0);
    if (found !== null) return { delimiter, first: found.next };
  }
  const start = skipBlankLines(body, 0);
  if (body[start] !== DASH || body[start + 1] !== DASH) return null;
  const line = lineAt(body, start);
  if (line === null || line.end - start > BOUNDARY_BYTES_MAX || line.end - start < 3) return null;
  const delimiter = body.subarray(start, trimEnd(body, start, line.end));
  return { delimiter, first: delimiterAt(body, delimiter, start)?.next };
}

interface Delimiter {
  /** Where the part after the delimiter begins; undefined: the delimiter is the last one. */
  next: number | undefined;
}

/** Finds the first delimiter at or after `from` that begins a line. `contentEnd` is where the content before that line ends. */
function nextDelimiter(body: Buffer, delimiter: Buffer, from: number): (Delimiter & { contentEnd: number }) | null {
  for (let at = from; at < body.length; at = nextLine(body, delimiter, at)) {
    const found = isAt(body, delimiter, at) ? delimiterAt(body, delimiter, at) : null;
    if (found === null) continue;
    const lineBreak = body[at - 2] === CR ? 2 : 1;
    return { ...found, contentEnd: Math.max(from, at - lineBreak) };
  }
  return null;
}

/** For so many bytes a look at each byte costs less than a native search, which is called anew for each line. */
const NEAR_BYTES = 256;

/**
 * Finds where the next line begins that has the first byte of the delimiter. Beyond the first bytes the search is native: a picture of
 * several megabytes without a declared length would otherwise hold up the decisions for other cameras for milliseconds.
 */
function nextLine(body: Buffer, delimiter: Buffer, from: number): number {
  const near = Math.min(body.length, from + NEAR_BYTES);
  for (let at = from; at < near; at++) if (body[at] === LF && body[at + 1] === delimiter[0]) return at + 1;
  const far = body.indexOf(Buffer.of(LF, delimiter[0] ?? LF), near);
  return far === -1 ? body.length : far + 1;
}

function isAt(body: Buffer, delimiter: Buffer, at: number): boolean {
  let matching = 0;
  while (matching < delimiter.length && body[at + matching] === delimiter[matching]) matching++;
  return matching === delimiter.length;
}

/** Reads the delimiter at `at`; null: there is none. A delimiter is alone on its line, and a part, the end or `--` follows it. */
function delimiterAt(body: Buffer, delimiter: Buffer, at: number): Delimiter | null {
  let position = at + delimiter.length;
  const closing = body[position] === DASH && body[position + 1] === DASH;
  if (closing) position += 2;
  while (body[position] === 0x20 || body[position] === 0x09) position++;
  if (position >= body.length) return { next: undefined };
  const afterBreak = skipBreak(body, position);
  if (afterBreak === position) return null;
  if (closing) return { next: undefined };
  // A picture may contain the boundary, so a part begins only where headers follow.
  return looksLikeHeaders(body, afterBreak) ? { next: afterBreak } : null;
}

function looksLikeHeaders(body: Buffer, from: number): boolean {
  if (skipBreak(body, from) !== from || from >= body.length) return true;
  const line = lineAt(body, from);
  return line !== null && /^[A-Za-z-]{1,64}\s*:/.test(body.toString('latin1', from, Math.min(line.end, from + 80)));
}

interface Head {
  headers: Map<string, string>;
  contentStart: number;
}

/** Reads the headers of a part, with names in lower case; null: a line does not end within the bound. */
function readHeaders(body: Buffer, from: number): Head | null {
  const headers = new Map<string, string>();
  let position = from;
  // Some cameras write a blank line between the boundary and the headers; it does not end the headers.
  const afterBlank = skipBlankLines(body, from);
  if (afterBlank !== from && /^content-/i.test(body.toString('latin1', afterBlank, afterBlank + 8)))
    position = afterBlank;
  for (let lines = 0; lines < HEADER_LINES_MAX; lines++) {
    const line = lineAt(body, position);
    if (line === null) return position >= body.length ? { headers, contentStart: body.length } : null;
    const text = body.toString('latin1', position, trimEnd(body, position, line.end));
    if (text === '') return { headers, contentStart: line.next };
    const colon = text.indexOf(':');
    // This line is no header, and no blank line came before it: the content has begun.
    if (colon <= 0 || /[^A-Za-z-]/.test(text.slice(0, colon).trim())) return { headers, contentStart: position };
    headers.set(text.slice(0, colon).trim().toLowerCase(), text.slice(colon + 1).trim());
    position = line.next;
  }
  return null;
}

function readContent(body: Buffer, delimiter: Buffer, head: Head): { content: Uint8Array; next: number | undefined } {
  const start = head.contentStart;
  const declared = head.headers.get('content-length');
  if (declared !== undefined && /^\d{1,9}$/.test(declared)) {
    const end = start + Number(declared);
    if (end === body.length) return { content: body.subarray(start), next: undefined };
    if (end < body.length) {
      const at = skipBreak(body, end);
      if (at >= body.length) return { content: body.subarray(start, end), next: undefined };
      const follows = isAt(body, delimiter, at) ? delimiterAt(body, delimiter, at) : null;
      if (follows !== null) return { content: body.subarray(start, end), next: follows.next };
    }
  }
  const found = nextDelimiter(body, delimiter, start);
  if (found === null) return { content: body.subarray(start), next: undefined };
  return { content: body.subarray(start, found.contentEnd), next: found.next };
}

/** Reads a parameter such as `name="a"` or `name=a`. `filename` does not count as `name`. */
function parameterOf(header: string, parameter: string): string {
  const match = new RegExp(`(?:^|[;,\\s])${parameter}\\s*=\\s*(?:"([^"]*)"|([^;,\\s]*))`, 'i').exec(header);
  return match?.[1] ?? match?.[2] ?? '';
}

/** Finds the line from `from`: `end` is before its line break, `next` after it. null: the line does not end within the bound. */
function lineAt(body: Buffer, from: number): { end: number; next: number } | null {
  const limit = Math.min(body.length, from + HEADER_LINE_BYTES_MAX);
  const end = body.subarray(from, limit).indexOf(LF);
  return end === -1 ? null : { end: from + end, next: from + end + 1 };
}

function trimEnd(body: Buffer, start: number, end: number): number {
  let trimmed = end;
  while (trimmed > start && (body[trimmed - 1] === CR || body[trimmed - 1] === 0x20)) trimmed--;
  return trimmed;
}

function skipBreak(body: Buffer, position: number): number {
  if (body[position] === LF) return position + 1;
  return body[position] === CR && body[position + 1] === LF ? position + 2 : position;
}

function skipBlankLines(body: Buffer, from: number): number {
  let position = from;
  for (let lines = 0; lines < HEADER_LINES_MAX; lines++) {
    const next = skipBreak(body, position);
    if (next === position) break;
    position = next;
  }
  return position;
}
