import { createRoute, z } from '@hono/zod-openapi';
import { ApiError, INTERNAL, NOT_FOUND, TOO_MANY_REQUESTS } from '../../../shared/errors.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type FailureLimiter, RetryLaterError } from '../../kernel/limit/entry.js';
import { countRefusal, type Endpoint, errorResponses, reply } from '../../rest/entry.js';
import type { ImageLinks } from './image-links.js';
import { findImage } from './image-queries.js';
import type { ImageStore } from './image-store.js';

/** While the gateway is connected, images follow their reads within seconds. */
const ARRIVAL_RETRY_S = 5;

const routeOf = (path: string, summary: string) =>
  createRoute({
    method: 'get',
    path,
    summary,
    tags: ['Plate readings'],
    request: {
      params: z.object({ uid: z.string() }),
      query: z.object({ expires: z.string(), signature: z.string() }),
    },
    responses: {
      200: {
        description: 'The picture',
        content: { 'image/jpeg': { schema: z.string().openapi({ format: 'binary' }) } },
      },
      ...errorResponses([NOT_FOUND, TOO_MANY_REQUESTS, INTERNAL], {
        meanings: { 6: 'changed or expired link, or (with Retry-After) the picture has not arrived yet' },
      }),
    },
  });
const PICTURE_ROUTE = routeOf('/v2/images/{uid}', 'A picture, by the temporary link of an event or a record');
const THUMBNAIL_ROUTE = routeOf(
  '/v2/images/{uid}/thumbnail',
  'A picture for lists: the link of the picture, with /thumbnail behind its uid',
);

interface ImageDeps {
  store: CloudStore;
  images: ImageStore;
  imageLinks: ImageLinks;
}

/**
 * GET /v2/images/{uid} and its thumbnail. A signed link needs no other right. Requests are not limited, because a console shows many
 * pictures at once and nobody can guess a signature of 256 bits. One signature opens both.
 */
/** @param refusals counts changed and expired links per address */
export function imageEndpoints(deps: ImageDeps, refusals: FailureLimiter): Endpoint[] {
  const { images } = deps;
  return [
    imageEndpoint(deps, refusals, {
      route: PICTURE_ROUTE,
      read: images.read,
    }),
    imageEndpoint(deps, refusals, {
      route: THUMBNAIL_ROUTE,
      // Small pictures have no thumbnail.
      read: async (uid) => (await images.readThumbnail(uid)) ?? images.read(uid),
    }),
  ];
}

function imageEndpoint(
  { store, imageLinks }: ImageDeps,
  refusals: FailureLimiter,
  { route, read }: { route: Endpoint['route']; read: ImageStore['read'] },
): Endpoint {
  return {
    route,
    async run(c) {
      const { expires = '', signature = '' } = c.req.query();
      // A link with anything besides its signed parts is refused.
      const isWhole = new URL(c.req.url).searchParams.size === 2;
      const link = await countRefusal(c, refusals, async () => {
        const verified = imageLinks.verify({ uid: c.req.param('uid') ?? '', expires, signature });
        if (verified === null || !isWhole) throw new ApiError(NOT_FOUND);
        return verified;
      });
      const image = await findImage(store.reader, link.uid);
      if (image?.arrived_at === null) throw new RetryLaterError(6, { retryAfterS: ARRIVAL_RETRY_S });
      const jpeg = image === undefined ? null : await read(link.uid);
      if (jpeg === null) throw new ApiError(NOT_FOUND);
      return reply(c, {
        headers: {
          'Content-Type': 'image/jpeg',
          'Cache-Control': `private, max-age=${Math.floor(link.remainingMs / 1_000)}`,
        },
        body: new Uint8Array(jpeg),
      });
    },
  };
}
