import { describe } from 'vitest';
import { hasMosquitto } from '../world/mosquitto-server.js';
import { aedesKind, mosquittoKind } from './broker-bench.js';
import { brokerConformance } from './broker-conformance.js';

brokerConformance('aedes', aedesKind);

describe.runIf(hasMosquitto())('external', () => {
  brokerConformance('mosquitto', mosquittoKind);
});
