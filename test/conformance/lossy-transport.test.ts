import { FakeClock } from '../sim/world/fake-clock.js';
import { createLossyTransport } from '../sim/world/lossy-transport.js';
import { type TransportBench, uplinkTransportConformance } from './uplink-transport-conformance.js';

uplinkTransportConformance('the transport of tests on a fake clock', async () => {
  const clock = new FakeClock();
  const published: TransportBench['published'] = [];
  const transport = createLossyTransport({
    clock,
    random: () => 0.5,
    onPublish: (topic, payload, how) => published.push({ topic, payload, ...how }),
  });
  return {
    transport,
    options: {
      url: 'mqtt://broker.example',
      clientId: 'gateway',
      username: 'gateway',
      password: 'secret',
      ca: null,
      will: { topic: 'gw/me/up/presence', payload: 'will' },
      subscriptions: ['gw/me/down/+'],
    },
    published,
    deliver: (topic, payload) => transport.deliver(topic, payload),
    refuse: () => {
      transport.refusal = 'refused';
    },
    cut: () => transport.cut('broken'),
    settle: () => clock.advance(1_000),
    close: () => Promise.resolve(),
  };
});
