import { describe, expect, it } from 'vitest';
import { generateWebhookSecret, signWebhook } from '../../../cloud/doors/webhook/signature.js';
import { readmeVerification } from '../../integration/webhook/readme-verification.js';

describe('webhook signatures', () => {
  // The example of the Standard Webhooks specification's reference libraries.
  it('are those of Standard Webhooks', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestampS: 1_614_265_330, body: '{"test": 2432232314}' };
    expect(signWebhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('cover id, time and body', () => {
    const secret = generateWebhookSecret();
    const message = { id: 'msg_1', timestampS: 1, body: '{}' };
    const signature = signWebhook(secret, message);
    expect(signWebhook(secret, message)).toBe(signature);
    for (const changed of [{ id: 'msg_2' }, { timestampS: 2 }, { body: '{ }' }]) {
      expect(signWebhook(secret, { ...message, ...changed })).not.toBe(signature);
    }
    expect(signWebhook(generateWebhookSecret(), message)).not.toBe(signature);
  });

  it('are made with secrets of 256 bits', () => {
    const secret = generateWebhookSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    expect(generateWebhookSecret()).not.toBe(secret);
  });

  it('are verified by what the README tells integrators', async () => {
    const isGenuine = await readmeVerification();
    const secret = generateWebhookSecret();
    const body = '{"type":"lot_change"}';
    const headersAt = (timestampS: number) => ({
      'webhook-id': 'msg_1_2',
      'webhook-timestamp': String(timestampS),
      'webhook-signature': signWebhook(secret, { id: 'msg_1_2', timestampS, body }),
    });
    const nowS = Math.floor(Date.now() / 1_000);
    const headers = headersAt(nowS);
    expect(isGenuine(secret, headers, body)).toBe(true);
    expect(
      isGenuine(secret, { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }, body),
    ).toBe(true);
    expect(isGenuine(secret, headers, `${body} `)).toBe(false);
    expect(isGenuine(secret, { ...headers, 'webhook-id': 'msg_1_3' }, body)).toBe(false);
    expect(isGenuine(generateWebhookSecret(), headers, body)).toBe(false);
    expect(isGenuine(secret, headersAt(nowS - 3_600), body)).toBe(false);
  });
});
