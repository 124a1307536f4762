/**
 * Checks the signature of a Verkada webhook: HMAC-SHA256 over the body, `|` and the time. The secret is the password in the camera's
 * settings.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CameraPush } from '../camera.js';

const HEADER = /^(\d{1,16})\|([0-9a-f]{64})$/i;

/** An older signature belongs to a vehicle that has gone: somebody may have recorded the push and send it again. */
const SIGNED_WITHIN_S = 300;

/** Returns why the push is not from the vendor; null: it is, or the camera has no secret to check it by. */
export function refuseUnsigned({ body, camera, header }: CameraPush, now_ms: number): string | null {
  const secret = camera.password ?? '';
  if (secret === '') return null;
  const [, time, signature] = HEADER.exec(header?.('verkada-signature') ?? '') ?? [];
  if (time === undefined || signature === undefined) return 'no Verkada-Signature';
  const expected = createHmac('sha256', secret).update(body).update(`|${time}`).digest();
  if (!timingSafeEqual(Buffer.from(signature, 'hex'), expected)) return 'its Verkada-Signature is not by this secret';
  return now_ms / 1000 - Number(time) > SIGNED_WITHIN_S
    ? `its Verkada-Signature is older than ${SIGNED_WITHIN_S / 60} minutes`
    : null;
}
