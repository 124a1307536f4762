import { describe, expect, it } from 'vitest';
import type { UpMessage } from '../../../cloud/equipment/broker/broker.js';
import { createGatewayLink, type GatewayLinkDeps } from '../../../cloud/doors/uplink/gateway-link.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';

const UUID = gatewayUuidSchema.parse('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01');

/** Only what a hello meets. */
function createLink(handleHello: () => Promise<void>) {
  const told: string[] = [];
  let take: (message: UpMessage) => Promise<void> = () => Promise.resolve();
  const deps = {
    broker: {
      onMessage(listener: typeof take) {
        take = listener;
        return () => {};
      },
      publish: async (_: unknown, channel: string) => void told.push(channel),
    },
    logger: silentLogger,
    rollCall: { note() {} },
    quota: { take: async () => true, countRecords() {}, close() {} },
    hello: async () => ({ gateway_id: 7, hello: {}, welcome: {} }),
    presence: { handleHello, handlePresence: async (_: unknown, said: object) => void told.push(JSON.stringify(said)) },
    unhandled: {
      note: async (_: unknown, channel: string, error: unknown) => void told.push(`${channel}: ${String(error)}`),
      async handled() {},
    },
    publisher: { hello: async ({ id }: { id: number }) => void told.push(`configuration of ${id}`) },
  };
  createGatewayLink(deps as unknown as GatewayLinkDeps);
  const handle = (channel: UpMessage['channel'], message: object, isRetained = false) =>
    take({ uuid: UUID, channel, payload: Buffer.from(JSON.stringify(message)), isRetained });
  return { told, handle, sayHello: () => handle('hello', {}) };
}

describe('a hello', () => {
  it('is answered, and followed by the configuration', async () => {
    const { told, sayHello } = createLink(async () => {});
    await sayHello();
    expect(told).toEqual(['welcome', 'configuration of 7']);
  });

  it('whose presence the database does not take is followed by the configuration all the same', async () => {
    const { told, sayHello } = createLink(() => Promise.reject(new Error('the disk is full')));
    await sayHello();
    expect(told).toEqual(['welcome', 'configuration of 7', 'hello: Error: the disk is full']);
  });
});

it('does not believe a broker that a gateway is online because it was when it was heard last, but that it is gone', async () => {
  const { told, handle } = createLink(async () => {});
  const presence = (status: string) => ({ status, boot_id: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c02', connection: 1 });
  await handle('presence', presence('online'), true);
  expect(told).toEqual([]);
  await handle('presence', presence('offline'), true);
  await handle('presence', presence('online'));
  expect(told.map((said) => JSON.parse(said).status)).toEqual(['offline', 'online']);
});
