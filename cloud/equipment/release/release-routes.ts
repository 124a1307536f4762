/** GET /v2/releases/{id}/bundle: gateways fetch a release, in as many parts as the network makes of it. */
import { open } from 'node:fs/promises';
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Clock } from '../../../shared/clock.js';
import { createBuckets } from '../../../shared/flow/buckets.js';
import { ApiError, INTERNAL, NOT_FOUND, TOO_MANY_REQUESTS } from '../../../shared/errors.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type FailureLimiter, RetryLaterError } from '../../kernel/limit/entry.js';
import { countRefusal, type Endpoint, errorResponses, type HttpEnv, reply } from '../../rest/entry.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { findGatewayByUuid } from '../gateway/gateway-queries.js';
import { type ByteRange, parseByteRange } from './byte-range-parser.js';
import type { ReleaseFiles } from './release-files.js';
import type { ReleaseLinks } from './release-links.js';
import { findRelease } from './release-queries.js';

/** A gateway may fetch a large system a few times at once, and then about one a day. */
const BURST_BYTES = 4 * 1024 ** 3;
const BYTES_PER_S = 32 * 1024;
/** More than there are gateways. */
const KEYS_MAX = 100_000;
/** RAUC asks for several parts at once while it streams. */
const UNDER_WAY_MAX = 8;
const CHUNK_BYTES = 64 * 1024;
const BUSY_RETRY_S = 5;

const ROUTE = createRoute({
  method: 'get',
  path: '/v2/releases/{id}/bundle',
  summary: 'The bundle of a release, for the gateway whose configuration names this address; with Range, a part of it',
  tags: ['Gateways'],
  request: {
    params: z.object({ id: z.string() }),
    query: z.object({ gateway: z.string(), key: z.string() }),
  },
  responses: {
    200: {
      description: 'The bundle',
      content: { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } },
    },
    206: {
      description: 'The part that `Range` names',
      content: { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } },
    },
    416: { description: 'The bundle has no such part' },
    ...errorResponses([NOT_FOUND, TOO_MANY_REQUESTS, INTERNAL], {
      meanings: { 6: 'no such release, or not for this gateway' },
    }),
  },
});

interface ReleaseDeps {
  store: Pick<CloudStore, 'reader'>;
  releaseFiles: Pick<ReleaseFiles, 'find'>;
  releaseLinks: Pick<ReleaseLinks, 'isKey'>;
  clock: Clock;
}

/** @param refusals counts wrong keys per address */
export function releaseEndpoint(deps: ReleaseDeps, refusals: FailureLimiter): Endpoint {
  const downloads = createDownloadLimit(deps.clock);
  return {
    route: ROUTE,
    async run(c) {
      const { gateway = '', key = '' } = c.req.query();
      const release = await countRefusal(c, refusals, async () => {
        const id = c.req.param('id') ?? '';
        const row = /^\d{1,9}$/.test(id) ? await findRelease(deps.store.reader, Number(id)) : undefined;
        const isUuid = gatewayUuidSchema.safeParse(gateway).success;
        const public_key = isUuid ? ((await findGatewayByUuid(deps.store.reader, gateway))?.public_key ?? null) : null;
        if (row === undefined || public_key === null) throw new ApiError(NOT_FOUND);
        if (!deps.releaseLinks.isKey(key, row, { uuid: gateway, public_key })) throw new ApiError(NOT_FOUND);
        return row;
      });
      const file = await deps.releaseFiles.find(release.sha256);
      if (file === null) throw new ApiError(NOT_FOUND);
      downloads.check(gateway);
      return answerFile(c, {
        ...file,
        sha256: release.sha256,
        stream: (range) => downloads.stream(gateway, file.path, range),
      });
    },
  };
}

function answerFile(
  c: Context<HttpEnv>,
  file: { bytes: number; sha256: string; stream(range: ByteRange): ReadableStream },
): Response {
  const etag = `"${file.sha256}"`;
  const headers = { 'Content-Type': 'application/octet-stream', 'Accept-Ranges': 'bytes', ETag: etag };
  // A part of another file would be put behind what the gateway has of the first one.
  const isSame = (c.req.header('if-range') ?? etag) === etag;
  const range = isSame ? parseByteRange(c.req.header('range'), file.bytes) : 'all';
  if (range === 'none') {
    return reply(c, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${file.bytes}` }, body: null });
  }
  const { start, end } = range === 'all' ? { start: 0, end: file.bytes - 1 } : range;
  return reply(c, {
    status: range === 'all' ? 200 : 206,
    headers: {
      ...headers,
      'Content-Length': String(end - start + 1),
      ...(range === 'all' ? {} : { 'Content-Range': `bytes ${start}-${end}/${file.bytes}` }),
    },
    body: c.req.raw.method === 'HEAD' ? null : file.stream({ start, end }),
  });
}

/** What one gateway may take of connections and bytes. A part that was cut counts as far as it was sent. */
export function createDownloadLimit(clock: Clock) {
  const bytes = createBuckets({ clock, size: BURST_BYTES, refill: { eachMs: 1_000 / BYTES_PER_S }, keysMax: KEYS_MAX });
  const underWay = new Map<string, number>();

  const change = (gateway: string, by: 1 | -1) => {
    const count = (underWay.get(gateway) ?? 0) + by;
    if (count === 0) underWay.delete(gateway);
    else underWay.set(gateway, count);
  };

  return {
    /** @throws RetryLaterError */
    check(gateway: string): void {
      const waitMs = bytes.waitMs(gateway, 0);
      if (waitMs > 0) throw new RetryLaterError(TOO_MANY_REQUESTS, { retryAfterS: Math.ceil(waitMs / 1_000) });
      if ((underWay.get(gateway) ?? 0) >= UNDER_WAY_MAX)
        throw new RetryLaterError(TOO_MANY_REQUESTS, { retryAfterS: BUSY_RETRY_S });
    },
    stream(gateway: string, path: string, { start, end }: ByteRange): ReadableStream {
      change(gateway, 1);
      let file: Awaited<ReturnType<typeof open>> | null = null;
      let position = start;
      let isOver = false;
      const finish = async () => {
        if (!isOver) change(gateway, -1);
        isOver = true;
        // Also one that was still being opened when the gateway went: its read finds that it is over.
        await file?.close();
      };
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            try {
              file ??= await open(path);
              const length = Math.min(CHUNK_BYTES, end - position + 1);
              const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
              if (bytesRead === 0 && length > 0) throw new Error(`${path} became shorter`);
              position += bytesRead;
              bytes.owe(gateway, bytesRead);
              controller.enqueue(buffer.subarray(0, bytesRead));
              if (position <= end) return;
              controller.close();
            } catch (error) {
              controller.error(error);
            }
            await finish();
          },
          cancel: finish,
        },
        { highWaterMark: 0 },
      );
    },
  };
}
