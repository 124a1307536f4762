/** PUT and DELETE /v2/account/logo; GET /logos/{name}, which anybody may see: guests, and who reads a mail. */
import { createRoute, z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { errorText } from '../../../shared/error-text.js';
import { ApiError, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type Endpoint, protectedEndpoint, reply } from '../../rest/entry.js';
import { ACCOUNT_SETTINGS, accountShower } from '../account/account-settings.js';
import { findLogo, replaceLogo } from './face-queries.js';
import { LOGO_BYTES_MAX, LogoError, makeLogo } from './make-logo.js';

const PATH = '/v2/account/logo';
/** Base64 has four characters for three bytes. */
const CHARS_MAX = Math.ceil(LOGO_BYTES_MAX / 3) * 4;
const BODY_BYTES_MAX = CHARS_MAX + 1024;

const logoBody = z.strictObject({
  image: z
    .string()
    .min(1)
    .max(CHARS_MAX)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be base64')
    .describe('A PNG, JPEG or WebP picture of at most 512 KiB, as base64.'),
});

export function logoEndpoints(deps: { store: CloudStore; clock: Clock; baseUrl: () => string }): Endpoint[] {
  const { store, clock } = deps;
  const show = accountShower(deps);
  const own = {
    path: PATH,
    tag: 'Account users',
    roles: ['Super Admin'],
    userTokenOnly: true,
    answer: ACCOUNT_SETTINGS,
  } as const;
  return [
    protectedEndpoint({
      method: 'put',
      summary: 'Set the logo of the own account',
      ...own,
      body: logoBody,
      bodyBytesMax: BODY_BYTES_MAX,
      async handle({ caller: { account_id }, body, change }) {
        const logo = await makeLogo(String(account_id), Buffer.from(body.image, 'base64')).catch((error: unknown) => {
          if (!(error instanceof LogoError)) throw error;
          throw new ApiError(VALIDATION, { field: 'image', message: errorText(error), cause: error });
        });
        return change(async (tx) => {
          await replaceLogo(tx, { account_id, logo, now: clock.now() });
          return show(tx, account_id);
        });
      },
    }),
    protectedEndpoint({
      method: 'delete',
      summary: 'Remove the logo of the own account',
      ...own,
      handle: ({ caller: { account_id }, change }) =>
        change(async (tx) => {
          await replaceLogo(tx, { account_id, logo: null, now: clock.now() });
          return show(tx, account_id);
        }),
    }),
    {
      route: createRoute({ method: 'get', path: '/logos/{name}', responses: { 200: { description: 'Success' } } }),
      isInternal: true,
      async run(c) {
        const png = await findLogo(store.reader, c.req.param('name') ?? '');
        if (png === null) throw new ApiError(NOT_FOUND);
        return reply(c, {
          headers: {
            'Content-Type': 'image/png',
            // Its name changes with the picture.
            'Cache-Control': 'public, max-age=31536000, immutable',
            'Content-Security-Policy': "default-src 'none'",
          },
          body: new Uint8Array(png),
        });
      },
    },
  ];
}
