import { describe } from 'vitest';
import { hasMosquitto } from '../sim/world/mosquitto-server.js';
import { hasNats } from '../sim/world/nats-cluster.js';
import { aedesKind, mosquittoKind, natsKind } from './broker-bench.js';
import { brokerConformance } from './broker-conformance.js';

brokerConformance('aedes', aedesKind);

describe.runIf(hasMosquitto())('external', () => {
  brokerConformance('mosquitto', mosquittoKind);
});

describe.runIf(hasNats())('external', () => {
  brokerConformance('NATS', natsKind);
});
