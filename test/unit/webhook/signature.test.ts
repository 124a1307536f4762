import { describe, expect, it } from 'vitest';
import { makeWebhookSecret, signWebhook } from '../../../cloud/webhook/signature.js';

describe('webhook signatures', () => {
  // The example of the Standard Webhooks specification's reference libraries.
  it('are those of Standard Webhooks', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestampS: 1_614_265_330, body: '{"test": 2432232314}' };
    expect(signWebhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('cover id, time and body', () => {
    const secret = makeWebhookSecret();
    const message = { id: 'msg_1', timestampS: 1, body: '{}' };
    const signature = signWebhook(secret, message);
    expect(signWebhook(secret, message)).toBe(signature);
    for (const changed of [{ id: 'msg_2' }, { timestampS: 2 }, { body: '{ }' }]) {
      expect(signWebhook(secret, { ...message, ...changed })).not.toBe(signature);
    }
    expect(signWebhook(makeWebhookSecret(), message)).not.toBe(signature);
  });

  it('are made with secrets of 256 bits', () => {
    const secret = makeWebhookSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    expect(makeWebhookSecret()).not.toBe(secret);
  });
});
