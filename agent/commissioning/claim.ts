import { z } from 'zod';
import { type ClaimAnswer, claimAnswerSchema } from '../../shared/gateway-config.js';
import type { Identity } from './identity.js';

const CLAIM_TIMEOUT_MS = 15_000;

const refusalSchema = z.object({
  errors: z.array(z.object({ message: z.string(), field: z.string().optional() })).min(1),
});

/** `refused`: asking again with the same code is useless. `unreachable`: the cloud did not answer, or could not. */
export class ClaimError extends Error {
  readonly reason: 'refused' | 'unreachable';

  constructor(reason: 'refused' | 'unreachable', message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ClaimError';
    this.reason = reason;
  }
}

/**
 * Enrols this device: `POST /v2/gateways/claim` with a signature over `claim_code.uuid`. Returns the identity as a member of the cloud
 * and the configuration it boots from. Asking again with the same code is harmless for 15 minutes.
 * Throws ClaimError.
 */
export async function claimGateway(options: {
  identity: Identity;
  cloudUrl: string;
  code: string;
}): Promise<{ identity: Identity; config: ClaimAnswer['config'] }> {
  const { identity, cloudUrl, code } = options;
  const url = new URL('/v2/gateways/claim', cloudUrl).href;
  const body = {
    claim_code: code,
    uuid: identity.uuid,
    public_key: identity.publicKey,
    signature: identity.sign(`${code}.${identity.uuid}`),
  };
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CLAIM_TIMEOUT_MS),
    });
    answer = await response.json();
  } catch (cause) {
    throw new ClaimError('unreachable', `${url} did not answer: check the address and the network`, { cause });
  }
  if (response.status >= 500 || response.status === 429)
    throw new ClaimError('unreachable', `${url} answered ${response.status}`);
  const refusal = refusalSchema.safeParse(answer);
  if (response.status === 404) {
    throw new ClaimError(
      'refused',
      'the claim code is wrong, used or expired: ask for a new one where the gateway was added',
    );
  }
  if (refusal.success) {
    const told = refusal.data.errors.map((error) => `${error.field ?? 'request'}: ${error.message}`).join('; ');
    throw new ClaimError('refused', `the cloud refused the claim: ${told}`);
  }
  const parsed = z.object({ data: claimAnswerSchema }).safeParse(answer);
  if (!parsed.success)
    throw new ClaimError('refused', `${url} does not answer as a cloud of this version does`, { cause: parsed.error });
  const { mqtt, config } = parsed.data.data;
  return { identity: identity.joined({ url: cloudUrl, mqtt }), config };
}
