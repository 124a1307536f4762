import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { UpMessage } from '../../../cloud/equipment/broker/broker.js';
import { createGatewayInbox } from '../../../cloud/equipment/broker/gateway-inbox.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';

const GREEDY = gatewayUuidSchema.parse('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01');
const HONEST = gatewayUuidSchema.parse('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c02');
const LIMITS = { gatewayBytesMax: 10_000, totalBytesMax: 100_000 };

const messageOf = (uuid: UpMessage['uuid']): UpMessage => ({
  uuid,
  channel: 'records',
  payload: new Uint8Array(1_000),
});

/** An inbox whose messages are handled when the test says so. */
function heldInbox(metrics?: { registry: Registry; clock: FakeClock }) {
  const inbox = createGatewayInbox({ logger: silentLogger, limits: LIMITS, metrics });
  const held: { uuid: string; release: () => void }[] = [];
  inbox.onMessage(({ uuid }) => new Promise<void>((release) => held.push({ uuid, release })));
  const release = async (uuid: string) => {
    await Promise.resolve();
    const index = held.findIndex((each) => each.uuid === uuid);
    held.splice(index, 1)[0]?.release();
    await new Promise(setImmediate);
  };
  return { inbox, held, release };
}

describe('the messages of a gateway that wait', () => {
  it('are bounded also when it sends on without an answer, and others have their room', async () => {
    const { inbox, held, release } = heldInbox();
    let handled = 0;
    while (inbox.deliver(messageOf(GREEDY)) !== null) handled += 1;
    expect(handled * 1_000).toBeGreaterThan(LIMITS.gatewayBytesMax);
    expect(handled * 1_000).toBeLessThanOrEqual(2 * LIMITS.gatewayBytesMax);

    await expect(inbox.deliver(messageOf(HONEST))).resolves.toBeUndefined();
    await release(HONEST);
    expect(held.map(({ uuid }) => uuid)).toEqual([GREEDY]);

    expect(inbox.deliver(messageOf(GREEDY))).toBeNull();
    await release(GREEDY);
    expect(inbox.deliver(messageOf(GREEDY))).not.toBeNull();
  });

  it('are bounded in all', () => {
    const { inbox } = heldInbox();
    let handled = 0;
    const uuidOf = (number: number) =>
      gatewayUuidSchema.parse(`0d3c2a54-5a1f-4b7e-9a51-${String(number).padStart(12, '0')}`);
    while (inbox.deliver(messageOf(uuidOf(handled))) !== null) handled += 1;
    expect(handled * 1_000).toBeLessThanOrEqual(2 * LIMITS.totalBytesMax);
  });

  it('are measured: how many, how large, and how long the first of them waits', async () => {
    const clock = new FakeClock();
    const registry = new Registry();
    const { inbox, release } = heldInbox({ registry, clock });
    const values = async () =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith('parking_gateway_messages_'));
    void inbox.deliver(messageOf(GREEDY));
    await clock.advance(2_000);
    void inbox.deliver(messageOf(HONEST));
    await clock.advance(500);
    expect(await values()).toEqual([
      'parking_gateway_messages_waiting 2',
      'parking_gateway_messages_waiting_oldest_seconds 2.5',
      'parking_gateway_messages_waiting_bytes 3024',
    ]);
    await release(GREEDY);
    expect((await values()).slice(0, 2)).toEqual([
      'parking_gateway_messages_waiting 1',
      'parking_gateway_messages_waiting_oldest_seconds 0.5',
    ]);
    await release(HONEST);
    expect(await values()).toContain('parking_gateway_messages_waiting_bytes 0');
  });
});
