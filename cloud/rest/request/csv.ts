/** CSV files that are sent while they are read (RFC 4180). */
import type { Context } from 'hono';
import { BYTE_ORDER_MARK, csvLine } from '../../../shared/csv-codec.js';
import type { HttpEnv } from './http-env.js';
import { reply } from './reply.js';

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
  file: { name: string; pieces: AsyncIterable<string> } & FileBeginning,
): Promise<Response> {
  const pieces = file.pieces[Symbol.asyncIterator]();
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
