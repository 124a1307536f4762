import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { type ClaimAnswer, claimAnswerSchema } from '../../../shared/gateway-config.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { FailureLimiter } from '../../auth/failure-limiter.js';
import { type Endpoint, publicEndpoint } from '../endpoint.js';

const base64urlOf = (bytes: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`), `must be ${bytes} bytes as base64url`);

const claimSchema = z.strictObject({
  claim_code: z.string().min(1).max(256),
  uuid: gatewayUuidSchema,
  /** Raw Ed25519 key. */
  public_key: base64urlOf(32),
  /** Over the text `claim_code.uuid`. */
  signature: base64urlOf(64),
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
      repeats: 'by itself',
      auditValues: ['uuid'],
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
