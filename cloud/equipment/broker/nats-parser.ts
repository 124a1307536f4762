/** Cuts what a NATS server sends into its lines and messages (the NATS client protocol; headers are not asked for). */

export type NatsFrame =
  /** A line without its end: `INFO {...}`, `PING`, `PONG`, `+OK`, `-ERR '...'`. */
  | { line: string }
  /** A message of the subscription with this number. */
  | { subscription: string; payload: Uint8Array };

/** A server announces itself and its cluster in one line. */
const LINE_BYTES_MAX = 256 * 1024;
const LINE_END = '\r\n';
/** Subject, subscription, a subject to answer to or none, bytes; a server may write two spaces in place of none. */
const MESSAGE = /^MSG +\S+ +(\S+) +(?:\S+ +)?(\d+)$/;

/** Returns a function that is given the bytes as they come. It throws when they are not what a NATS server sends. */
export function createNatsParser(): (bytes: Uint8Array) => NatsFrame[] {
  let chunks: Uint8Array[] = [];
  let length = 0;
  /** How many bytes have to be there before it is worth looking again: a long message comes in many pieces. */
  let needed = 1;

  return (bytes) => {
    chunks.push(bytes);
    length += bytes.byteLength;
    if (length < needed) return [];
    let rest = Buffer.concat(chunks);
    const frames: NatsFrame[] = [];
    for (;;) {
      const lineEnd = rest.indexOf(LINE_END);
      if (lineEnd > LINE_BYTES_MAX || (lineEnd < 0 && rest.length > LINE_BYTES_MAX))
        throw new Error('a line of the server is too long: it speaks another protocol');
      needed = rest.length + 1;
      if (lineEnd < 0) break;
      const line = rest.toString('utf8', 0, lineEnd);
      const [, subscription = '', size = ''] = MESSAGE.exec(line) ?? [];
      const start = lineEnd + LINE_END.length;
      if (subscription === '') {
        if (line.startsWith('MSG')) throw new Error('a message of the server cannot be read');
        frames.push({ line });
        rest = rest.subarray(start);
        continue;
      }
      const end = start + Number(size);
      needed = end + LINE_END.length;
      if (rest.length < needed) break;
      frames.push({ subscription, payload: rest.subarray(start, end) });
      rest = rest.subarray(needed);
    }
    chunks = [rest];
    length = rest.length;
    return frames;
  };
}
