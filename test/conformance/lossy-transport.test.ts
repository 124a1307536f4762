import { FakeClock } from '../world/fake-clock.js';
import { createLossyTransport } from '../world/lossy-transport.js';
import { LINK_OPTIONS, type TransportBench, uplinkTransportConformance } from './uplink-transport-conformance.js';

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
    options: { ...LINK_OPTIONS, url: 'mqtt://broker.example' },
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
