/** CSV files that are sent while they are read (RFC 4180). */
import type { Context } from 'hono';
import { BYTE_ORDER_MARK, csvLine } from '../../../shared/csv-codec.js';
import type { HttpEnv } from './http-env.js';
import { replyPieces } from './reply.js';

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
  const headers = {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${file.name}"`,
  };
  const all = withBeginning(first.done === true ? beginning : beginning + first.value, pieces);
  return replyPieces(c, all, { headers, mayPack: false });
}

async function* withBeginning(beginning: string, pieces: AsyncIterator<string>): AsyncGenerator<string> {
  try {
    yield beginning;
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
  } finally {
    await pieces.return?.();
  }
}
