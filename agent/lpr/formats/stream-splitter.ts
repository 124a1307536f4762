/**
 * Splits an endless multipart stream of a camera into its parts. The Content-Length of a part counts; a part without one ends at the next
 * boundary. The splitter holds no more than one part.
 */

export interface StreamPart {
  /** Lower case, without parameters; empty when absent. */
  contentType: string;
  content: Uint8Array;
}

const HEADERS_BYTES_MAX = 16 * 1024;
const PART_BYTES_MAX = 8 * 1024 * 1024;

export class StreamError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StreamError';
  }
}

export interface StreamSplitter {
  /** Takes the next bytes, and returns the parts that are complete now. @throws StreamError for bytes that are no such stream */
  push(chunk: Uint8Array): StreamPart[];
}

/** @param contentType of the answer; where it names no boundary, the first line that begins with two dashes is the boundary */
export function createStreamSplitter(contentType: string): StreamSplitter {
  let boundary = boundaryIn(contentType);
  const held = createHeldBytes();
  /** The headers of the part that is arriving; null: they are not complete yet. */
  let head: Head | null = null;
  /** The end of a part without a length was looked for up to here. */
  let sought = 0;
  /** So many bytes must be held before the part can be complete. */
  let wanted = 0;

  /** Takes the part at the beginning of the held bytes; null: it is not complete. */
  function nextPart(): StreamPart | null {
    const bytes = held.bytes();
    head ??= readHead(bytes);
    if (head === null) return null;
    const end = endOf(bytes, head);
    if (end === null) return null;
    // The content is copied, so that a part that is kept does not keep all held bytes.
    const part = { contentType: head.type, content: new Uint8Array(bytes.subarray(head.contentStart, end.content)) };
    held.drop(end.part);
    head = null;
    sought = 0;
    wanted = 0;
    return part;
  }

  function readHead(bytes: Buffer): Head | null {
    const text = bytes.toString('latin1', 0, HEADERS_BYTES_MAX);
    if (boundary === '') boundary = firstBoundaryLine(text);
    const found = boundary === '' ? null : headAt(text, boundary);
    if (found === null && bytes.length > HEADERS_BYTES_MAX) throw new StreamError('no headers of a part');
    return found;
  }

  /** Finds where the content and where the part ends; null: the end has not arrived. */
  function endOf(bytes: Buffer, { contentStart, length }: Head): { content: number; part: number } | null {
    if (length !== null) {
      assertPartSize(length);
      wanted = contentStart + length;
      return bytes.length < wanted ? null : { content: wanted, part: wanted };
    }
    const mark = `\n--${boundary}`;
    const end = bytes.indexOf(mark, Math.max(contentStart - 1, sought - mark.length), 'latin1');
    sought = bytes.length;
    if (end === -1) {
      assertPartSize(bytes.length - contentStart);
      return null;
    }
    const contentEnd = bytes[end - 1] === 0x0d ? end - 1 : end;
    return { content: Math.max(contentStart, contentEnd), part: end + 1 };
  }

  return {
    push(chunk) {
      held.add(chunk);
      if (held.bytes().length < wanted) return [];
      const parts: StreamPart[] = [];
      for (let part = nextPart(); part !== null; part = nextPart()) parts.push(part);
      return parts;
    },
  };
}

interface Head {
  contentStart: number;
  /** null: the part has no Content-Length. */
  length: number | null;
  type: string;
}

function assertPartSize(bytes: number): void {
  if (bytes > PART_BYTES_MAX) throw new StreamError(`a part of more than ${PART_BYTES_MAX} bytes`);
}

/** The boundary that a content type names, without its dashes; empty: it names none. */
function boundaryIn(contentType: string): string {
  const [, quoted, plain] =
    /boundary\s*=\s*(?:"([^"\r\n]{1,200})"|([^;,\s]{1,200}))/i.exec(contentType.slice(0, 512)) ?? [];
  return (quoted ?? plain ?? '').replace(/^--/, '');
}

const firstBoundaryLine = (text: string): string => /(?:^|\n)--([^\r\n]{1,200})\r?\n/.exec(text)?.[1] ?? '';

/** The headers of the part that begins after the next boundary; null: they are not complete. */
function headAt(text: string, boundary: string): Head | null {
  const at = text.indexOf(`--${boundary}`);
  const lineEnd = at === -1 ? -1 : text.indexOf('\n', at);
  if (lineEnd === -1) return null;
  // A blank line between boundary and headers does not end the headers.
  const [blank = ''] = /^(?:\r?\n)*/.exec(text.slice(lineEnd + 1)) ?? [];
  const from = lineEnd + 1 + blank.length;
  const end = /\r?\n\r?\n/.exec(text.slice(from));
  if (end === null) return null;
  const headers = text.slice(from, from + end.index);
  const length = /^content-length\s*:\s*(\d{1,9})\s*$/im.exec(headers)?.[1];
  const type = /^content-type\s*:\s*([^;\r\n]*)/im.exec(headers)?.[1] ?? '';
  return {
    contentStart: from + end.index + end[0].length,
    length: length === undefined ? null : Number(length),
    type: type.trim().toLowerCase(),
  };
}

const HELD_BYTES_MIN = 64 * 1024;

/** Holds the bytes that came and are not taken yet. A chunk is copied once when it comes, and again only when the room grows. */
function createHeldBytes() {
  let store = Buffer.alloc(0);
  let start = 0;
  let end = 0;
  return {
    /** A view that is valid until the next chunk. */
    bytes: (): Buffer => store.subarray(start, end),
    add(chunk: Uint8Array): void {
      const bytes = end - start + chunk.length;
      if (end + chunk.length > store.length) {
        const room = bytes * 2 <= store.length ? store : Buffer.allocUnsafeSlow(Math.max(HELD_BYTES_MIN, bytes * 2));
        store.copy(room, 0, start, end);
        store = room;
        end -= start;
        start = 0;
      }
      store.set(chunk, end);
      end += chunk.length;
    },
    drop(count: number): void {
      start += count;
      if (start < end) return;
      start = end = 0;
      // The room of a large part is given back.
      if (store.length > HELD_BYTES_MIN) store = Buffer.alloc(0);
    },
  };
}
