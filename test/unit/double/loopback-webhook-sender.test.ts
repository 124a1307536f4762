import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { systemClock } from '../../../shared/system-clock.js';
import { createLoopbackWebhookSender } from '../../../scripts/sim/double/loopback-webhook-sender.js';

const NAMES: Record<string, string[]> = {
  'here.test': ['127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mixed.test': ['127.0.0.1', '10.0.0.1'],
};
const REFUSED = { statusCode: null, error: expect.stringContaining('WEBHOOK_ALLOW_PRIVATE=true') };

it('webhooks of the double go to this machine, by its address or a name, and to nothing else that is not public', async () => {
  const receiver = createServer((_request, response) => void response.writeHead(204).end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const sender = createLoopbackWebhookSender({
    clock: systemClock,
    resolve: async (name) => (NAMES[name] ?? []).map((address) => ({ address, family: 4 })),
  });
  const post = (host: string) =>
    sender.post({
      url: `http://${host}:${port}/`,
      headers: {},
      body: '{}',
      signal: new AbortController().signal,
    });
  for (const host of ['127.0.0.1', 'here.test']) expect([host, await post(host)]).toEqual([host, { statusCode: 204 }]);
  const refused = ['169.254.169.254', '10.0.0.1', '192.168.1.1', '0.0.0.0', '[fe80::1]', '[fd00::1]', '[::]'];
  for (const host of [...refused, '[::ffff:169.254.169.254]', 'metadata.test', 'mixed.test'])
    expect([host, await post(host)]).toEqual([host, REFUSED]);
  receiver.close();
  receiver.closeAllConnections();
});
