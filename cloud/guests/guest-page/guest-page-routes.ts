/**
 * GET /weblinks/{id}: the page of a weblink. It is the same for every link, because the token is in the fragment, which browsers do not send.
 * POST /weblinks/{id} with the token: the data that the page shows. Neither operates the product: the page's buttons call the public endpoint
 * of weblinks.
 * The first request contains the page's language. Further mails to the receiver are written in it.
 */
import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import { accentsOf } from '../../../shared/accent.js';
import { decodeJson } from '../../../shared/json-text-codec.js';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import { findCommandDetails, findProductDetails, representCommand, representProduct } from '../../equipment/entry.js';
import {
  countRefusal,
  createSharedText,
  type Endpoint,
  type HttpEnv,
  parseBody,
  reply,
  replyShared,
  type SharedText,
  successResponse,
} from '../../rest/entry.js';
import type { CloudStore, Row } from '../../kernel/store/entry.js';
import { facesOf } from '../../site/entry.js';
import type { FailureLimiter } from '../../kernel/limit/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import { isWeblinkToken } from '../weblink/weblink-tokens.js';
import { type Language, LANGUAGES } from '../../../shared/languages.js';
import { readGuestPage } from './guest-page-file.js';
import { type GuestCommand, type GuestPage, phaseOf } from './guest-page-payload.js';
import { findPageLink, receiverOfOtherLanguage, saveReceiverLanguage } from './guest-page-queries.js';

const PATH = '/weblinks/{id}';
const BODY_BYTES_MAX = 8 * 1024;
const bodySchema = z.strictObject({ token: z.string().min(1).max(200), language: z.enum(LANGUAGES).optional() });

export interface GuestPageDeps {
  store: Pick<CloudStore, 'reader' | 'change'>;
  clock: Clock;
  secrets: Pick<Secrets, 'derive'>;
}

/** @param refusals counts requests with a wrong token by address, together with those to the other endpoints of weblinks */
export function guestPageEndpoints(deps: GuestPageDeps, refusals: FailureLimiter): Endpoint[] {
  const route = (method: 'get' | 'post') =>
    createRoute({ method, path: PATH, responses: { 200: { description: 'Success' } } });
  let file: Promise<{ page: SharedText; policy: string }> | undefined;
  const read = async () => {
    const { html, policy } = await readGuestPage();
    return { page: createSharedText(html), policy };
  };
  return [
    {
      route: route('get'),
      isInternal: true,
      async run(c) {
        const whole = wholeLink(c.req.param('id') ?? '');
        if (whole !== null) {
          return reply(c, { status: 302, headers: { Location: whole, ...NO_TRACE }, body: null });
        }
        const { page, policy } = await (file ??= read());
        return replyShared(c, page, {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': policy,
          ...NO_TRACE,
          'Cache-Control': 'no-cache',
        });
      },
    },
    {
      route: route('post'),
      isInternal: true,
      async run(c, { refuseForeignPage }) {
        refuseForeignPage(c);
        c.set('bodyBytesMax', BODY_BYTES_MAX);
        const page = await countRefusal(c, refusals, () => guestPage(deps, c));
        return successResponse(c, JSON.stringify(page));
      },
    },
  ];
}

const NO_TRACE = { 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' };

/** Programs that look links over escape the `#`, so that the token becomes a part of the path. Returns the link as it was; null: it is whole. */
function wholeLink(id: string): string | null {
  const [, link, token] = /^([\w-]+)#([\w-]+)/.exec(id) ?? [];
  return link === undefined || token === undefined ? null : `${link}#${token}`;
}

/**
 * Returns the data of a link's page for a guest who has its token. The data says when the link becomes valid or has ended. An unknown or
 * revoked link, a link whose key was ended early, and a wrong token all get the same answer after the same amount of work.
 */
async function guestPage({ store, clock, secrets }: GuestPageDeps, c: Context<HttpEnv>): Promise<GuestPage> {
  const { token, language } = await parseBody(c, bodySchema);
  const id = c.req.param('id') ?? '';
  const now = clock.now();
  const found = await findPageLink(store.reader, { id, now });
  const isProven = isWeblinkToken(secrets, found?.link ?? { id, generation: 0 }, token);
  if (found === null || !isProven) throw new ApiError(NOT_FOUND);
  const details = await findProductDetails(store.reader, found.link.product_id);
  if (details === null) throw new ApiError(NOT_FOUND);
  const { start, end, timezone, place, link } = found;
  if (language !== undefined) await keepLanguage(store, link, language);
  const phase = phaseOf({ start, end }, now);
  const isOpen = phase === 'open';
  const { barrier, gate, chain, bollard, brain, name, status } = representProduct(details);
  const state = (barrier ?? gate ?? chain ?? bollard ?? brain)?.state ?? 'unknown';
  return {
    account: await shownAccount(store, link),
    product: { name, place, state: isOpen ? state : 'unknown', is_online: status === 'online' },
    operations: isOpen ? decodeJson(link.operations) : [],
    window: { start, end, timezone, phase },
    last: isOpen && link.last_event_id !== null ? await lastCommand(store, link.last_event_id) : null,
  };
}

/** The logo is named by its path: the page is at the service's own address, whatever that is called. */
async function shownAccount(
  { reader }: Pick<CloudStore, 'reader'>,
  { account_id }: Pick<Row<'weblinks'>, 'account_id'>,
): Promise<GuestPage['account']> {
  const face = (await facesOf(reader, [account_id])).get(account_id);
  if (face === undefined) throw new ApiError(NOT_FOUND);
  const { name, colour, logo, contact } = face;
  return {
    name,
    logo: logo === null ? null : `/logos/${logo}`,
    colours: colour === null ? null : accentsOf(colour),
    contact,
  };
}

async function keepLanguage(
  { reader, change }: Pick<CloudStore, 'reader' | 'change'>,
  { operation_token_id }: Pick<Row<'weblinks'>, 'operation_token_id'>,
  language: Language,
): Promise<void> {
  if (operation_token_id === null) return;
  const id = await receiverOfOtherLanguage(reader, { operation_token_id, language });
  if (id !== null) await change((tx) => saveReceiverLanguage(tx, { id, language }));
}

async function lastCommand(store: Pick<CloudStore, 'reader'>, last_event_id: string): Promise<GuestCommand | null> {
  const details = await findCommandDetails(store.reader, last_event_id);
  if (details === null) return null;
  const { event_id, operation, status, gateway_error } = representCommand(details);
  return { event_id, operation, status, error_type: gateway_error?.type ?? null };
}
