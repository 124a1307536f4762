/** The body of a claim (REST contract, "claim body"). */
import { z } from '@hono/zod-openapi';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { decodeBase64url } from '../../../shared/product-protocol/base64url.js';

const base64urlOf = (bytes: number) => {
  const message = `must be ${bytes} bytes as base64url`;
  return z
    .string()
    .regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`), message)
    .refine((text) => decodeBase64url(text)?.length === bytes, message);
};

export const claimBodySchema = z.strictObject({
  claim_code: z.string().min(1).max(256),
  uuid: gatewayUuidSchema,
  /** Raw Ed25519 key. */
  public_key: base64urlOf(32),
  /** The signature over the text `claim_code.uuid`. */
  signature: base64urlOf(64),
  /** Of a claimed device that keeps what it has: which gateway it is, and the key of its cloud. Left out: any code will do. */
  again: z
    .strictObject({
      uuid: gatewayUuidSchema,
      cloud_key: base64urlOf(32).describe(
        'The Ed25519 key that the cloud signs with, as base64url: a gateway has it from its configuration.',
      ),
    })
    .optional()
    .describe(
      'Of a claimed device that keeps what it has: the gateway that it is, and the key of its cloud. Any other code is refused, and stays unused.',
    ),
});
export type ClaimRequest = z.infer<typeof claimBodySchema>;
