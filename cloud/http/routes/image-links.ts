import { createRoute, z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { RetryLaterError } from '../../auth/retry-later-error.js';
import type { ImageLinks } from '../../images/image-links.js';
import type { ImageStore } from '../../images/image-store.js';
import type { CloudStore } from '../../store/cloud-store.js';
import { findImage } from '../../store/queries/plate-readings.js';
import type { Endpoint } from '../endpoint.js';
import { errorResponses } from '../route-description.js';

/** Pictures follow their reads within seconds while the gateway is connected. */
const ARRIVAL_RETRY_S = 5;

/** GET /v2/images/{uid}: a signed link is all the right it takes. */
export function imageEndpoints(deps: { store: CloudStore; images: ImageStore; imageLinks: ImageLinks }): Endpoint[] {
  const { store, images, imageLinks } = deps;
  const route = createRoute({
    method: 'get',
    path: '/v2/images/{uid}',
    summary: 'A picture, by the temporary link of an event or a record',
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
      ...errorResponses([6, 500], {
        6: 'changed or expired link, or (with Retry-After) the picture has not arrived yet',
      }),
    },
  });
  return [
    {
      route,
      async run(c) {
        const { expires = '', signature = '' } = c.req.query();
        const link = imageLinks.verify({ uid: c.req.param('uid') ?? '', expires, signature });
        if (link === null) throw new ApiError(6);
        const image = await findImage(store.reader, link.uid);
        if (image?.arrived_at === null) throw new RetryLaterError(6, { retryAfterS: ARRIVAL_RETRY_S });
        const jpeg = image === undefined ? null : await images.get(link.uid);
        if (jpeg === null) throw new ApiError(6);
        return c.body(new Uint8Array(jpeg), 200, {
          'Content-Type': 'image/jpeg',
          'Cache-Control': `private, max-age=${Math.floor(link.remainingMs / 1_000)}`,
        });
      },
    },
  ];
}
