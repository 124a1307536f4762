import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { refuseUnsigned } from '../../../agent/lpr/mapping/verkada-signature.js';

const SECRET = 'a secret';
const body = Buffer.from('{"webhook_type":"lpr"}');
const NOW_MS = Date.UTC(2026, 0, 15, 12);

function refusal(signed_s: number): string | null {
  const hex = createHmac('sha256', SECRET).update(body).update(`|${signed_s}`).digest('hex');
  const camera = { timezone: 'UTC', password: SECRET };
  return refuseUnsigned({ contentType: 'application/json', body, camera, header: () => `${signed_s}|${hex}` }, NOW_MS);
}

describe('the signature of a Verkada webhook', () => {
  it('is refused when it is older than five minutes', () => {
    const now_s = NOW_MS / 1000;
    expect([0, 300, -60].map((age) => refusal(now_s - age))).toEqual([null, null, null]);
    expect(refusal(now_s - 301)).toBe('its Verkada-Signature is older than 5 minutes');
  });
});
