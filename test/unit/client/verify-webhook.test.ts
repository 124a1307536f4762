import { describe, expect, it } from 'vitest';
import { generateWebhookSecret, signWebhook } from '../../../cloud/doors/webhook/signature.js';
import { verifyWebhook } from '../../../shared/client/verify-webhook.js';

const NOW = Date.UTC(2026, 2, 2, 8, 15, 30);
const secret = generateWebhookSecret();
const body = JSON.stringify({
  type: 'gateway_status',
  timestamp: '2026-03-02T08:15:30.000Z',
  data: { uuid: 'u', status: 'online' },
});

function headersOf(changed: { sentS?: number; signature?: string } = {}): Record<string, string> {
  const { sentS = NOW / 1000, signature = signWebhook(secret, { id: '1042', timestampS: sentS, body }) } = changed;
  return { 'webhook-id': '1042', 'webhook-timestamp': String(sentS), 'webhook-signature': signature };
}
const verify = (changed: Partial<Parameters<typeof verifyWebhook>[0]>) =>
  verifyWebhook({ secret, headers: headersOf(), body, now: NOW, ...changed });

describe('a call of a webhook', () => {
  it('is genuine when its signature is of the secret', async () => {
    expect(await verify({})).toMatchObject({ type: 'gateway_status', data: { status: 'online' } });
    expect(await verify({ headers: new Headers(headersOf()) })).toMatchObject({ type: 'gateway_status' });
  });

  it('is genuine when one of several signatures is: secrets are changed', async () => {
    const signed = { id: '1042', timestampS: NOW / 1000, body };
    const both = `v1,${'A'.repeat(43)}= v2,x v1,%% ${signWebhook(generateWebhookSecret(), signed)} ${signWebhook(secret, signed)}`;
    expect(await verify({ headers: headersOf({ signature: both }) })).toMatchObject({ type: 'gateway_status' });
  });

  it.each([
    { what: 'of another secret', changed: { secret: generateWebhookSecret() }, why: 'No signature' },
    { what: 'with another body', changed: { body: `${body} ` }, why: 'No signature' },
    { what: 'with another id', changed: { headers: { ...headersOf(), 'webhook-id': '1043' } }, why: 'No signature' },
    { what: 'with no signature', changed: { headers: headersOf({ signature: 'v1,' }) }, why: 'No signature' },
    { what: 'that is too old', changed: { headers: headersOf({ sentS: NOW / 1000 - 301 }) }, why: 'too old' },
    { what: 'from the future', changed: { headers: headersOf({ sentS: NOW / 1000 + 301 }) }, why: 'too old' },
    { what: 'without a time', changed: { headers: { ...headersOf(), 'webhook-timestamp': 'now' } }, why: 'too old' },
    { what: 'without a header', changed: { headers: { 'webhook-id': '1' } }, why: 'webhook-timestamp is missing' },
    { what: 'outside of the tolerance', changed: { now: NOW + 11_000, toleranceS: 10 }, why: 'too old' },
  ])('$what is refused', async ({ changed, why }) => {
    await expect(verify(changed)).rejects.toThrow(why);
  });
});
