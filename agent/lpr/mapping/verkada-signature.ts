/** Checks the signature of a Verkada webhook: HMAC-SHA256 over the body, `|` and the time, by the secret that is the camera's password. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CameraPush } from '../camera.js';

const HEADER = /^(\d{1,16})\|([0-9a-f]{64})$/i;

/** A signature that is older was made for a vehicle that is gone: somebody sends again what he heard. */
const SIGNED_WITHIN_S = 300;

/** Says why the push is not the vendor's; null: it is, or the camera has no secret to check it by. */
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
