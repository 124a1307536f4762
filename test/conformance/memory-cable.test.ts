import { systemClock } from '../../shared/system-clock.js';
import { type Connection, createMemoryCable } from '../world/memory-cable.js';
import { LINK_OPTIONS, type TransportBench, uplinkTransportConformance } from './uplink-transport-conformance.js';

uplinkTransportConformance('the cable in memory', async () => {
  const published: TransportBench['published'] = [];
  let connected: Connection | null = null;
  let isRefusing = false;
  const cable = createMemoryCable(systemClock, () => ({
    async accept(connection) {
      if (isRefusing) return connection.end('refused', 'as the test told');
      connected = connection;
      connection.opened();
    },
    hear: (_connection, message) => void published.push(message),
    left: () => {},
  }));
  return {
    transport: cable.transport,
    options: { ...LINK_OPTIONS, url: 'mqtt://broker.example' },
    published,
    deliver: (topic, payload) => connected?.send(topic, payload),
    refuse() {
      isRefusing = true;
    },
    cut() {
      cable.unplug();
      cable.plugIn();
    },
    settle: () => Promise.resolve(),
    close: cable.close,
  };
});
