/** What every broker promises, of a NATS cluster of three servers. */
import { describe } from 'vitest';
import { natsKind } from '../conformance/broker-bench.js';
import { brokerConformance } from '../conformance/broker-conformance.js';
import { hasNats } from '../world/nats-cluster.js';

describe.runIf(hasNats())('external', () => {
  brokerConformance('NATS', natsKind);
});
