/** Sends webhooks to public addresses, and to this machine, where the integrator's tests listen. */
import { BlockList, isIP } from 'node:net';
import { createHttpWebhookSender } from '../../../cloud/doors/webhook/http-webhook-sender.js';
import { createNameResolver, type Resolve } from '../../../cloud/doors/webhook/name-resolver.js';
import { isPublicAddress } from '../../../cloud/doors/webhook/public-address.js';
import type { WebhookSender } from '../../../cloud/doors/webhook/webhook-sender.js';
import { hostOf } from '../../../cloud/doors/webhook/webhook-url.js';
import type { Clock } from '../../../shared/clock.js';

const REFUSAL = 'The address is neither a public one nor of this machine; WEBHOOK_ALLOW_PRIVATE=true opens all';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const isOpen = (address: string): boolean =>
  isPublicAddress(address) || loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** @param options.resolve resolves a name to its addresses */
export function createLoopbackWebhookSender(options: { clock: Clock; resolve?: Resolve }): WebhookSender {
  const { clock, resolve = createNameResolver() } = options;
  const sender = createHttpWebhookSender({
    allowPrivate: true,
    clock,
    async resolve(name) {
      const addresses = await resolve(name);
      if (!addresses.every(({ address }) => isOpen(address))) throw new Error(REFUSAL);
      return addresses;
    },
  });
  return {
    async post(request) {
      const host = hostOf(new URL(request.url));
      return isIP(host) > 0 && !isOpen(host) ? { statusCode: null, error: REFUSAL } : sender.post(request);
    },
  };
}
