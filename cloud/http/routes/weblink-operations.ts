import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ApiError } from '../../../shared/errors.js';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { PRODUCT_OPERATIONS } from '../../../shared/uplink.js';
import { createFailureLimiter } from '../../auth/failure-limiter.js';
import { createRequestLimiter } from '../../auth/request-limiter.js';
import type { Commands } from '../../command/commands.js';
import type { Secrets } from '../../secrets/secrets.js';
import type { CloudStore } from '../../store/cloud-store.js';
import { findCommandDetails } from '../../store/queries/commands.js';
import { countWeblinkUse, findLiveWeblink } from '../../store/queries/records.js';
import { findProductDetails, type ProductDetails } from '../../store/queries/single-records.js';
import type { Row } from '../../store/schema.js';
import { isWeblinkToken } from '../../weblink/weblink-tokens.js';
import { type Endpoint, publicEndpoint } from '../endpoint.js';
import { weblinkOperations } from '../record-resources.js';
import { commandRecord, productRecord } from '../records.js';
import { commandSchema } from '../resources.js';

const TAG = 'Weblinks';
const ERRORS = [214, 704, 30, 429] as const;

const tokenField = z.string().min(1).max(200);

const statusSchema = z
  .strictObject({
    product: z.strictObject({ name: z.string(), status: z.enum(PRESENCE_STATES), state: z.string() }),
    /** What the link did last. */
    last: commandSchema.pick({ event_id: true, operation: true, status: true, gateway_error: true }).nullable(),
  })
  .openapi('WeblinkStatus');

interface Live {
  account_id: number;
  link: Row<'weblinks'>;
  product: ProductDetails;
}

export interface WeblinkOperationDeps {
  store: CloudStore;
  clock: Clock;
  secrets: Pick<Secrets, 'derive'>;
  commands: Pick<Commands, 'operate'>;
  /** RATE_PUBLIC_PER_MIN: operations per link, wrong tokens per address; 0: no limit. */
  publicPerMin: number;
}

/** POST /v2/weblinks/{id}/operation and /status: the token in the body authorizes. */
export function weblinkOperationEndpoints(deps: WeblinkOperationDeps): Endpoint[] {
  const { store, clock, secrets, commands } = deps;
  const operations = createRequestLimiter({ requestsPerMin: deps.publicPerMin, clock });
  const wrongTokens = createFailureLimiter({
    failuresPerMin: deps.publicPerMin,
    clock,
    countsAsFailure: (error) => error instanceof ApiError && error.status === 404,
  });

  /** null: like a wrong token, 404. */
  async function find({ ids }: { ids: { id: string } }): Promise<Live | null> {
    const link = await findLiveWeblink(store.reader, ids.id, clock.now());
    const product = link === undefined ? null : await findProductDetails(store.reader, link.product_id);
    return link === undefined || product === null ? null : { account_id: link.account_id, link, product };
  }

  /** Only who tries tokens out is held up: drivers share addresses. */
  async function requireToken({ link }: Live, given: { token: string; address: string }): Promise<void> {
    if (isWeblinkToken(secrets, link, given.token)) return;
    await wrongTokens.attempt(given.address, () => Promise.reject(new ApiError(6)));
  }

  return [
    publicEndpoint({
      method: 'post',
      path: '/v2/weblinks/{id}/operation',
      summary: 'Operate the product of a weblink',
      tag: TAG,
      body: z.strictObject({ token: tokenField, operation: z.enum(PRODUCT_OPERATIONS) }),
      auditValues: ['operation'],
      answer: z.strictObject({ success: z.literal(true) }),
      errors: ERRORS,
      find,
      async handle({ found, body, address }) {
        const { link, product } = found;
        await requireToken(found, { token: body.token, address });
        if (!weblinkOperations(link).includes(body.operation)) {
          throw new ApiError(23, { field: 'operation', message: 'Is not allowed by this link' });
        }
        operations.count(link.id);
        const event_id = await commands.operate(product, body.operation);
        await store.change((tx) => countWeblinkUse(tx, link, { event_id, now: clock.now() }));
        return { success: true as const };
      },
    }),
    publicEndpoint({
      method: 'post',
      path: '/v2/weblinks/{id}/status',
      summary: 'How the product of a weblink is, and what became of the link’s last operation',
      tag: TAG,
      body: z.strictObject({ token: tokenField }),
      answer: statusSchema,
      errors: [429],
      find,
      async handle({ found, body, address }) {
        await requireToken(found, { token: body.token, address });
        const { barrier, gate, chain, bollard, brain, name, status } = productRecord(found.product);
        const state = (barrier ?? gate ?? chain ?? bollard ?? brain)?.state ?? 'unknown';
        return { product: { name, status, state }, last: await lastCommand(found.link) };
      },
    }),
  ];

  async function lastCommand({ last_event_id }: Row<'weblinks'>) {
    const details = last_event_id === null ? null : await findCommandDetails(store.reader, last_event_id);
    if (details === null) return null;
    const { event_id, operation, status, gateway_error } = commandRecord(details);
    return { event_id, operation, status, gateway_error };
  }
}
