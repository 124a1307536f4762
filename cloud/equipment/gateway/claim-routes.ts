import { addressNetwork } from '../../../shared/address-seats.js';
import { createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NOT_FOUND, TOO_MANY_REQUESTS } from '../../../shared/errors.js';
import { type ClaimAnswer, claimAnswerSchema } from '../../../shared/gateway-config.js';
import type { Logger } from '../../../shared/logger.js';
import { type Change, type CloudStore, createGroupedChanges } from '../../kernel/store/entry.js';
import type { FailureLimiter, FailurePace } from '../../kernel/limit/entry.js';
import { type Endpoint, publicEndpoint } from '../../rest/entry.js';
import { noteRefusedClaim } from './claim.js';
import { claimBodySchema, type ClaimRequest } from './claim-body.js';

/**
 * POST /v2/gateways/claim: the code authorizes. Nobody can guess codes, of which an operator's may be words:
 * @param deps.refusals counts refused claims per address
 * @param deps.pace slows down claims of all addresses when many are refused
 */
export function gatewayClaimEndpoints(deps: {
  store: CloudStore;
  claimGateway: (claim: ClaimRequest, change: Change) => Promise<ClaimAnswer>;
  refusals: FailureLimiter;
  pace: FailurePace;
  clock: Clock;
  logger: Logger;
}): Endpoint[] {
  const { store, clock } = deps;
  const outsiders = createBoundedLog(deps);
  const changes = createGroupedChanges(store);
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
      handle({ body, address, requestId, change, signal }) {
        const owner = addressNetwork(address);
        return deps.refusals.attempt({ owner }, async () => {
          try {
            return await deps.pace.attempt({ owner, signal: signal() }, () => deps.claimGateway(body, change));
          } catch (error) {
            if (error instanceof ApiError) {
              const { uuid, claim_code } = body;
              const refused = { request_id: requestId, address, uuid, errors: error.errors };
              outsiders.from(address).warn(refused, 'Gateway claim refused');
              await changes.change((tx) => noteRefusedClaim(tx, { claim_code, uuid, address, now: clock.now() }));
            }
            throw error;
          }
        });
      },
    }),
  ];
}
