/** Measures the broker as the cloud uses it. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import { WORK_S } from '../../kernel/measure/entry.js';
import type { Broker } from './broker.js';

/** Returns the broker with its times measured: how long it needs for a message to a gateway, and the cloud for one of a gateway. */
export function measuredBroker(
  broker: Broker,
  { registry, clock }: { registry: Registry; clock: Pick<Clock, 'monotonic'> },
): Broker {
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames: ['channel'], buckets: WORK_S, registers: [registry] });
  const published = histogram(
    'parking_broker_publish_seconds',
    'How long the broker needed for a message to a gateway, by channel',
  );
  const refused = new Counter({
    name: 'parking_broker_publish_failures_total',
    help: 'Messages to gateways that could not be sent, by channel',
    labelNames: ['channel'],
    registers: [registry],
  });
  const handled = histogram(
    'parking_gateway_message_seconds',
    'How long the handling of a message of a gateway took, with its waits for quota and database, by channel',
  );
  const sinceS = (at: number) => (clock.monotonic() - at) / 1_000;
  return {
    ...broker,
    get ready() {
      return broker.ready;
    },
    onMessage: (listener) =>
      broker.onMessage(async (message) => {
        const at = clock.monotonic();
        try {
          await listener(message);
        } finally {
          handled.observe({ channel: message.channel }, sinceS(at));
        }
      }),
    async publish(uuid, channel, payload) {
      const at = clock.monotonic();
      try {
        await broker.publish(uuid, channel, payload);
        published.observe({ channel }, sinceS(at));
      } catch (error) {
        refused.inc({ channel });
        throw error;
      }
    },
  };
}
