import { describe, expect, it } from 'vitest';
import type { UpMessage } from '../../../cloud/broker/broker.js';
import { createGatewayLink, type GatewayLinkDeps } from '../../../cloud/uplink/gateway-link.js';
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
    quota: { take: async () => true, countRecords() {}, close() {} },
    hello: async () => ({ gateway_id: 7, hello: {}, welcome: {} }),
    presence: { handleHello },
    publisher: { hello: async ({ id }: { id: number }) => void told.push(`configuration of ${id}`) },
  };
  createGatewayLink(deps as unknown as GatewayLinkDeps);
  return { told, sayHello: () => take({ uuid: UUID, channel: 'hello', payload: Buffer.from('{}') }) };
}

describe('a hello', () => {
  it('is answered, and followed by the configuration', async () => {
    const { told, sayHello } = createLink(async () => {});
    await sayHello();
    expect(told).toEqual(['welcome', 'configuration of 7']);
  });

  it('whose presence the database does not take is followed by the configuration all the same', async () => {
    const { told, sayHello } = createLink(() => Promise.reject(new Error('the disk is full')));
    await expect(sayHello()).rejects.toThrow('the disk is full');
    expect(told).toEqual(['welcome', 'configuration of 7']);
  });
});
