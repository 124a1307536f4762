import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { type ClaimAnswer, claimAnswerSchema } from '../../../shared/gateway-config.js';
import type { Logger } from '../../../shared/logger.js';
import type { FailureLimiter } from '../../auth/failure-limiter.js';
import { type Endpoint, publicEndpoint } from '../endpoint.js';

const claimSchema = z.strictObject({
  claim_code: z.string(),
  uuid: z.string(),
  /** Raw 32-byte Ed25519 key, base64url. */
  public_key: z.string(),
  /** Over the text `claim_code.uuid`, base64url. */
  signature: z.string(),
});
export type ClaimRequest = z.infer<typeof claimSchema>;

/** POST /v2/gateways/claim: the code authorizes. @param deps.refusals counts refused claims per address: codes cannot be tried out */
export function gatewayClaimEndpoints(deps: {
  claimGateway: (claim: ClaimRequest) => Promise<ClaimAnswer>;
  refusals: FailureLimiter;
  logger: Logger;
}): Endpoint[] {
  return [
    publicEndpoint({
      method: 'post',
      path: '/v2/gateways/claim',
      summary: 'Enrol a gateway with its one-time claim code',
      tag: 'Gateways',
      body: claimSchema,
      answer: claimAnswerSchema,
      errors: [6, 429],
      handle: ({ body, address, requestId }) =>
        deps.refusals.attempt(address, async () => {
          try {
            return await deps.claimGateway(body);
          } catch (error) {
            if (error instanceof ApiError) {
              const { uuid } = body;
              deps.logger.warn({ request_id: requestId, address, uuid, errors: error.errors }, 'Gateway claim refused');
            }
            throw error;
          }
        }),
    }),
  ];
}
