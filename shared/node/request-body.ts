/** Reads the bodies of requests within bounds. A body that was compressed on its way counts as unpacked. */
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errorText } from '../error-text.js';

export type BodyCoding = 'identity' | 'gzip';

/** A body that its sender called gzip, and that is none, or not all of one. */
export class BrokenGzip extends Error {}

/** A request as Hono passes it on. */
interface PassedRequest {
  req: { raw: Request; header(name: string): string | undefined };
  env: unknown;
}

/** Few pieces, each of which is inflated off the thread. */
const INFLATED_CHUNK_BYTES = 64 * 1024;

/** Reads Content-Encoding; null: a coding that is not read here. */
export function bodyCoding(header: string | undefined): BodyCoding | null {
  const names = (header ?? '').split(',').map((name) => name.trim().toLowerCase());
  const [coding = 'identity', second] = names.filter((name) => name !== '' && name !== 'identity');
  if (second !== undefined) return null;
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip';
  return coding === 'identity' ? coding : null;
}

/** The request as Node.js has it; undefined: it came another way. */
export function incomingOf({ env }: { env: unknown }): IncomingMessage | undefined {
  return (env as { incoming?: IncomingMessage } | undefined)?.incoming;
}

/**
 * The pieces of a body, inflated. Nothing more is read or inflated when the reader stops, and the connection stays for the answer. Throws
 * `BrokenGzip`, or what ended the connection.
 * @param onArrived called with the number of bytes of each piece that arrives, before it is inflated
 */
export function bodyChunks(
  request: PassedRequest,
  coding: BodyCoding,
  onArrived: (bytes: number) => void = () => {},
): AsyncIterable<Uint8Array> {
  const arriving = arrivingChunks(request, onArrived);
  return coding === 'gzip' ? gunzipped(arriving) : arriving;
}

async function* arrivingChunks(request: PassedRequest, onArrived: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const incoming = incomingOf(request);
  const isUnread = incoming !== undefined && !incoming.readableDidRead;
  const chunks: AsyncIterable<Uint8Array> = isUnread
    ? incoming.iterator({ destroyOnReturn: false })
    : (request.req.raw.body ?? noChunks());
  for await (const chunk of chunks) {
    onArrived(chunk.length);
    yield chunk;
  }
}

async function* noChunks(): AsyncGenerator<Uint8Array> {}

async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: INFLATED_CHUNK_BYTES });
  // Its failures reach whoever reads `gunzip`.
  pipeline(chunks, gunzip, () => {});
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) yield chunk;
  } catch (error) {
    if (!codeOf(error).startsWith('Z_')) throw error;
    throw new BrokenGzip(errorText(error));
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

/** Reads a body of at most so many bytes; a number is the status with which the request is refused. */
export async function readSmallBody(request: PassedRequest, bytesMax: number): Promise<Uint8Array | 400 | 413 | 415> {
  const coding = bodyCoding(request.req.header('content-encoding'));
  if (coding === null) return 415;
  if (Number(request.req.header('content-length') ?? 0) > bytesMax) return 413;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of bodyChunks(request, coding)) {
      bytes += chunk.length;
      if (bytes > bytesMax) return 413;
      chunks.push(chunk);
    }
  } catch {
    // It is no gzip, or its sender has gone.
    return 400;
  }
  return Buffer.concat(chunks);
}
