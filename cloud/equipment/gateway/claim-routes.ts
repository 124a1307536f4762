import { addressShareKey } from '../../../shared/address-shares.js';
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NOT_FOUND, TOO_MANY_REQUESTS } from '../../../shared/errors.js';
import { type ClaimAnswer, claimAnswerSchema } from '../../../shared/gateway-config.js';
import type { Logger } from '../../../shared/logger.js';
import type { Change, FailureLimiter } from '../../kernel/entry.js';
import { type Endpoint, publicEndpoint } from '../../rest/entry.js';
import { claimBodySchema, type ClaimRequest } from './claim-body.js';

/** POST /v2/gateways/claim: the code authorizes. @param deps.refusals counts refused claims per address, so that nobody can guess codes: an operator's may have 4 characters */
export function gatewayClaimEndpoints(deps: {
  claimGateway: (claim: ClaimRequest, change: Change) => Promise<ClaimAnswer>;
  refusals: FailureLimiter;
  clock: Clock;
  logger: Logger;
}): Endpoint[] {
  const outsiders = createBoundedLog(deps);
  return [
    publicEndpoint({
      method: 'post',
      path: '/v2/gateways/claim',
      summary: 'Enrol a gateway with its one-time claim code',
      tag: 'Gateways',
      body: claimBodySchema,
      answer: claimAnswerSchema,
      errors: [NOT_FOUND, TOO_MANY_REQUESTS],
      repeats: 'by itself',
      auditValues: ['uuid'],
      refusals: deps.refusals,
      // An address that has no refusal left is not told whether a code is right.
      handle: ({ body, address, requestId, change }) =>
        deps.refusals.attempt({ share: addressShareKey(address) }, async () => {
          try {
            return await deps.claimGateway(body, change);
          } catch (error) {
            if (error instanceof ApiError) {
              const { uuid } = body;
              const refused = { request_id: requestId, address, uuid, errors: error.errors };
              outsiders.from(address).warn(refused, 'Gateway claim refused');
            }
            throw error;
          }
        }),
    }),
  ];
}
