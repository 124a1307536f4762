import type { Registry } from 'prom-client';

/** A message that begins as those with pictures do. */
export const pictureOf = (bytes: number): Buffer => {
  const message = Buffer.alloc(bytes, 'x');
  message.write(`{"epoch":"${'0'.repeat(32)}","lane":2,"records":[`);
  return message;
};

/** How many bytes the broker has heard of messages that nobody has handled yet. */
export async function waitingBytes(registry: Registry): Promise<number> {
  const found = await registry.getSingleMetric('parking_gateway_messages_waiting_bytes')?.get();
  return found?.values[0]?.value ?? 0;
}
