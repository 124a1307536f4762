import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { decodeJson } from '../../../shared/json-text-codec.js';
import { ApiError, TOO_MANY_REQUESTS, VALIDATION } from '../../../shared/errors.js';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { PRODUCT_OPERATIONS } from '../../../shared/uplink-orders.js';
import type { CloudStore, Row } from '../../kernel/store/entry.js';
import { createRequestLimiter, type FailureLimiter, type ShareCounts } from '../../kernel/limit/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import {
  type Commands,
  commandSchema,
  duringReleaseValue,
  findCommandDetails,
  findProductDetails,
  type ProductDetails,
  representCommand,
  representProduct,
} from '../../equipment/entry.js';
import { type Endpoint, publicEndpoint, successSchema } from '../../rest/entry.js';
import { countWeblinkUse, findLiveWeblink, weblinksByIds } from './weblink-queries.js';
import { isWeblinkToken } from './weblink-tokens.js';

const TAG = 'Weblinks';
const ERRORS = [214, 704, 30, 429] as const;

const tokenField = z.string().min(1).max(200);
const operationBody = z.strictObject({
  token: tokenField,
  operation: z.enum(PRODUCT_OPERATIONS),
  during_release: duringReleaseValue,
});
const statusBody = z.strictObject({ token: tokenField });

const statusSchema = z
  .strictObject({
    product: z
      .strictObject({ name: z.string(), status: z.enum(PRESENCE_STATES), state: z.string() })
      .describe('The product.'),
    last: commandSchema
      .pick({ event_id: true, operation: true, status: true, gateway_error: true })
      .nullable()
      .describe('The last operation of the link; null before the first.'),
  })
  .openapi('WeblinkStatus');

interface GivenToken {
  ids: { id: string };
  body: { token: string };
}

interface FoundWeblink {
  account_id: number;
  link: Row<'weblinks'>;
  product: ProductDetails;
}

export interface WeblinkOperationDeps {
  store: CloudStore;
  clock: Clock;
  secrets: Pick<Secrets, 'derive'>;
  commands: Pick<Commands, 'operate'>;
  limits: {
    /** RATE_PUBLIC_PER_MIN: how many operations of a link are accepted per minute; 0: no limit. */
    publicPerMin: number;
  };
  shareCounts: ShareCounts;
}

/** Checks the token of a request against the link that the request names. */
function createTokenCheck({ store, clock, secrets }: Pick<WeblinkOperationDeps, 'store' | 'clock' | 'secrets'>) {
  const isProven = (link: Row<'weblinks'> | undefined, { ids: { id }, body: { token } }: GivenToken): boolean =>
    isWeblinkToken(secrets, link ?? { id, generation: 0 }, token);

  /**
   * Finds the link that works now and has this id and this token; null: 404. An unknown id gets the same answer, the same count and the same
   * amount of work as a wrong token, so that nobody can find out which ids exist.
   */
  async function findByToken(given: GivenToken): Promise<FoundWeblink | null> {
    const link = await findLiveWeblink(store.reader, given.ids.id, clock.now());
    if (!isProven(link, given) || link === undefined) return null;
    const product = await findProductDetails(store.reader, link.product_id);
    return product === null ? null : { account_id: link.account_id, link, product };
  }

  /** Identifies the caller of a repeated request by its link, because the address of a phone changes when it switches networks. */
  async function provenLink(given: GivenToken): Promise<string | null> {
    const [link] = await weblinksByIds(store.reader, [given.ids.id]);
    return isProven(link, given) && link !== undefined ? `weblink ${link.id}` : null;
  }

  return { findByToken, provenLink };
}

/**
 * POST /v2/weblinks/{id}/operation and /status, authorized by the token in the body. Every request that is refused before its token is
 * verified counts against the client's address. A request with the right token is never refused because of that count: many drivers share one
 * address of their mobile network, and must not be locked out when others guess tokens. Allowing further guesses is safe, because a token has
 * 256 bits.
 * @param refusals counts by address the requests that are refused before their token is verified
 */
export function weblinkOperationEndpoints(deps: WeblinkOperationDeps, refusals: FailureLimiter): Endpoint[] {
  const { store, clock, commands, limits, shareCounts } = deps;
  const { findByToken, provenLink } = createTokenCheck(deps);
  const operations = createRequestLimiter({
    requestsPerMin: limits.publicPerMin,
    clock,
    shared: shareCounts('weblink operations'),
  });

  return [
    publicEndpoint({
      method: 'post',
      path: '/v2/weblinks/{id}/operation',
      isCommand: true,
      summary: 'Operate the product of a weblink',
      tag: TAG,
      body: operationBody,
      auditValues: ['operation', 'during_release'],
      answer: successSchema,
      errors: ERRORS,
      findByBody: findByToken,
      provenCaller: provenLink,
      refusals,
      async handle({ found, body, requestId, change }) {
        const { link, product } = found;
        if (!decodeJson(link.operations).includes(body.operation)) {
          throw new ApiError(VALIDATION, { field: 'operation', message: 'Is not allowed by this link' });
        }
        // Only accepted operations count.
        operations.check(link.id);
        const given = { name: link.name, isOfKey: link.operation_token_id !== null };
        await commands.operate(change, product, { ...body, link: given }, requestId, (tx, event_id) =>
          countWeblinkUse(tx, link, { event_id, now: clock.now() }),
        );
        operations.quotaAfter(link.id);
        return { success: true as const };
      },
    }),
    publicEndpoint({
      method: 'post',
      path: '/v2/weblinks/{id}/status',
      summary: 'How the product of a weblink is',
      tag: TAG,
      body: statusBody,
      answer: statusSchema,
      errors: [TOO_MANY_REQUESTS],
      findByBody: findByToken,
      refusals,
      async handle({ found }) {
        const { barrier, gate, chain, bollard, brain, name, status } = representProduct(found.product);
        const state = (barrier ?? gate ?? chain ?? bollard ?? brain)?.state ?? 'unknown';
        return { product: { name, status, state }, last: await lastCommandOf(found.link, store) };
      },
    }),
  ];
}

async function lastCommandOf({ last_event_id }: Row<'weblinks'>, { reader }: CloudStore) {
  const details = last_event_id === null ? null : await findCommandDetails(reader, last_event_id);
  if (details === null) return null;
  const { event_id, operation, status, gateway_error } = representCommand(details);
  return { event_id, operation, status, gateway_error };
}
