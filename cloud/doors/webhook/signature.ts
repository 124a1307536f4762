/** Signs as Standard Webhooks does: by HMAC-SHA256 over id, time and body, with the webhook's own secret. */
import { createHmac, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Generates a secret: `whsec_` and the key as base64. */
export function generateWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * Builds the header `webhook-signature`: `v1,` and the signature as base64.
 * @param message.id the header `webhook-id`
 * @param message.timestampS the header `webhook-timestamp`: seconds since 1970
 */
export function signWebhook(secret: string, message: { id: string; timestampS: number; body: string }): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signed = `${message.id}.${message.timestampS}.${message.body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
