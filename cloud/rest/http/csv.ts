/** CSV files that are sent while they are read (RFC 4180). */
import type { Context } from 'hono';
import { type Clock, sleep } from '../../../shared/clock.js';
import { BYTE_ORDER_MARK, csvLine } from '../../../shared/csv-codec.js';
import type { HttpEnv } from './http-env.js';
import { reply } from './reply.js';

/** So much of an answer leaves the service though nobody reads it, because the buffers of the network hold it. */
const HELD_BY_NETWORK = 4 * 1024 * 1024;
/** Until then a file rests so many times as long as its pieces take, */
const RESTS = 3;
/** but no longer than this after a piece. */
const REST_MS_MAX = 100;

interface FileBeginning {
  header: readonly string[];
  /** Excel takes a file for UTF-8 only if it begins with this mark. */
  hasByteOrderMark: boolean;
}

/**
 * Answers with a file for people.
 * @param pieces lines; the next piece is read when the client has received the one before. What the first one throws is thrown here, so
 * that it can still be answered
 */
export async function csvResponse(
  c: Context<HttpEnv>,
  file: { name: string; pieces: AsyncIterable<string>; clock: Clock } & FileBeginning,
): Promise<Response> {
  const pieces = gentlyBegun(file.pieces, file.clock);
  const first = await pieces.next();
  const beginning = `${file.hasByteOrderMark ? BYTE_ORDER_MARK : ''}${csvLine(file.header)}`;
  return reply(c, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${file.name}"`,
    },
    body: streamOf(first.done === true ? beginning : beginning + first.value, pieces),
  });
}

/**
 * The beginning of a file takes a quarter of the time at most: whoever asks for files and reads none of them would else have their beginnings
 * made at full speed, again and again. Who reads gets the rest as fast as it can be made.
 */
export async function* gentlyBegun(pieces: AsyncIterable<string>, clock: Clock): AsyncGenerator<string> {
  let length = 0;
  let startedMs = clock.monotonic();
  for await (const piece of pieces) {
    const restMs = Math.min((clock.monotonic() - startedMs) * RESTS, REST_MS_MAX);
    yield piece;
    length += piece.length;
    if (length < HELD_BY_NETWORK && restMs > 0) await sleep(clock, restMs);
    startedMs = clock.monotonic();
  }
}

function streamOf(first: string, others: AsyncIterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    async pull(controller) {
      const { done, value } = await others.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await others.return?.();
    },
  });
}
