import { describe, expect, it } from 'vitest';
import type { UpMessage } from '../../../cloud/equipment/broker/broker.js';
import { createGatewayLink, type GatewayLinkDeps } from '../../../cloud/doors/uplink/gateway-link.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';

const UUID = gatewayUuidSchema.parse('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01');

/** Only what a hello meets. */
function createLink(handleHello: () => Promise<void>) {
  const notified: string[] = [];
  let handleUp: (message: UpMessage) => Promise<void> = () => Promise.resolve();
  const deps = {
    broker: {
      onMessage(listener: typeof handleUp) {
        handleUp = listener;
        return () => {};
      },
      publish: async (_: unknown, channel: string) => void notified.push(channel),
    },
    logger: silentLogger,
    helloRequester: { note() {} },
    quota: { spend: async () => true, countRecords() {}, close() {} },
    hello: async () => ({ gateway_id: 7, hello: {}, welcome: {} }),
    presence: {
      handleHello,
      handlePresence: async (_: unknown, said: object) => void notified.push(JSON.stringify(said)),
    },
    unhandled: {
      note: async (_: unknown, channel: string, error: unknown) => void notified.push(`${channel}: ${String(error)}`),
      async handled() {},
    },
    publisher: { hello: async ({ id }: { id: number }) => void notified.push(`configuration of ${id}`) },
  };
  createGatewayLink(deps as unknown as GatewayLinkDeps);
  const handle = (channel: UpMessage['channel'], message: object, isRetained = false) =>
    handleUp({ uuid: UUID, channel, payload: Buffer.from(JSON.stringify(message)), isRetained });
  return { notified, handle, sayHello: () => handle('hello', {}) };
}

describe('a hello', () => {
  it('is answered, and followed by the configuration', async () => {
    const { notified, sayHello } = createLink(async () => {});
    await sayHello();
    expect(notified).toEqual(['welcome', 'configuration of 7']);
  });

  it('whose presence the database does not take is followed by the configuration all the same', async () => {
    const { notified, sayHello } = createLink(() => Promise.reject(new Error('the disk is full')));
    await sayHello();
    expect(notified).toEqual(['welcome', 'configuration of 7', 'hello: Error: the disk is full']);
  });
});

it('does not believe a broker that a gateway is online because it was when it was heard last, but that it is gone', async () => {
  const { notified, handle } = createLink(async () => {});
  const presence = (status: string) => ({ status, boot_id: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c02', connection: 1 });
  await handle('presence', presence('online'), true);
  expect(notified).toEqual([]);
  await handle('presence', presence('offline'), true);
  await handle('presence', presence('online'));
  expect(notified.map((said) => JSON.parse(said).status)).toEqual(['offline', 'online']);
});
