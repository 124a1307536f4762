/** The answer of every request: its headers are collected in one plain object, which the server writes several times faster than `Headers`. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'hono';
import { acceptsGzip } from '../../../shared/accepts-gzip.js';
import type { HttpEnv } from './http-env.js';
import { namesVersion, versionOfText } from './record-version.js';

/** A shorter text is not compressed: it would hardly become smaller. */
const COMPRESSED_FROM_BYTES = 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };

const gzipped = promisify(gzip);

/** Adds a header to the answer, whatever it will be. */
export function addHeader(c: Context<HttpEnv>, name: string, value: string): void {
  c.get('headers')[name] = value;
}

export function reply(
  c: Context<HttpEnv>,
  answer: {
    status?: number;
    headers: Readonly<Record<string, string>>;
    body: string | Uint8Array<ArrayBuffer> | ReadableStream | null;
  },
): Response {
  return new Response(answer.body, {
    status: answer.status ?? 200,
    headers: { ...c.get('headers'), ...answer.headers },
  });
}

/** Answers with JSON text; a long one is compressed when the client asks for it. */
export function replyJson(c: Context<HttpEnv>, text: string, status = 200): Response | Promise<Response> {
  c.set('answerText', text);
  return replyText(c, text, { status, headers: JSON_TYPE });
}

/** Answers with a text of this type; a long one is compressed, by another thread, when the client asks for it. */
export function replyText(
  c: Context<HttpEnv>,
  body: string,
  answer: { status?: number; headers: Readonly<Record<string, string>> },
): Response | Promise<Response> {
  if (body.length < COMPRESSED_FROM_BYTES) return reply(c, { ...answer, body });
  const headers = { ...answer.headers, Vary: 'Accept-Encoding' };
  if (!acceptsGzip(c.req.header('accept-encoding'))) return reply(c, { ...answer, headers, body });
  return gzipped(body).then((packed) =>
    reply(c, { ...answer, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: new Uint8Array(packed) }),
  );
}

/**
 * Answers with pieces of a text while they are made: the next one is made when the client has received the one before. They are compressed
 * when the client asks for it, by another thread.
 */
export function replyPieces(
  c: Context<HttpEnv>,
  pieces: AsyncIterator<string>,
  answer: { headers: Readonly<Record<string, string>>; mayPack: boolean },
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return?.();
    },
  });
  if (!answer.mayPack) return reply(c, { headers: answer.headers, body });
  const headers = { ...answer.headers, Vary: 'Accept-Encoding' };
  if (!acceptsGzip(c.req.header('accept-encoding'))) return reply(c, { headers, body });
  const packed = body.pipeThrough(new CompressionStream('gzip'));
  return reply(c, { headers: { ...headers, 'Content-Encoding': 'gzip' }, body: packed });
}

/** A text that every caller gets alike, such as a document or a page: it is packed once, and has a version. */
export interface SharedText {
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  packed(): Promise<Uint8Array<ArrayBuffer>>;
}

export function createSharedText(text: string): SharedText {
  let packed: Promise<Uint8Array<ArrayBuffer>> | undefined;
  return {
    plain: new TextEncoder().encode(text),
    etag: versionOfText(text),
    packed: () => (packed ??= gzipped(text).then((bytes) => new Uint8Array(bytes))),
  };
}

/** Answers with such a text, or with 304 to who has it. */
export async function replyShared(
  c: Context<HttpEnv>,
  shared: SharedText,
  own: Readonly<Record<string, string>>,
): Promise<Response> {
  const headers = { ...own, ETag: shared.etag, Vary: 'Accept-Encoding' };
  const known = c.req.header('if-none-match');
  if (known !== undefined && namesVersion(known, shared.etag)) return reply(c, { status: 304, headers, body: null });
  if (!acceptsGzip(c.req.header('accept-encoding'))) return reply(c, { headers, body: shared.plain });
  return reply(c, { headers: { ...headers, 'Content-Encoding': 'gzip' }, body: await shared.packed() });
}

/** Aborted when the answer is over: it was sent, or its connection has ended. */
export function answerSignal(c: Context<HttpEnv>): AbortSignal {
  const { outgoing } = c.env;
  // An answer whose turn on its connection never came is not closed with it.
  const { socket } = c.env.incoming;
  const over = new AbortController();
  const end = () => {
    outgoing.off('close', end);
    socket.off('close', end);
    over.abort();
  };
  outgoing.once('close', end);
  socket.once('close', end);
  if (socket.destroyed) end();
  return over.signal;
}
