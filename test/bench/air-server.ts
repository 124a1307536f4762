/** The air of the radio benchmarks, in a process of its own: products on an emulated radio that gateways join. */
import { randomBytes } from 'node:crypto';
import { createBlenoAir } from '../../scripts/sim/radio/bleno-air.js';
import { serveHub } from '../../scripts/sim/radio/hub.js';
import { createVirtualRadio } from '../../scripts/sim/radio/virtual-radio.js';
import { startProduct } from '../../scripts/sim/products/start-product.js';
import { silentLogger } from '../../shared/logger.js';
import { hexToBytes } from '../../shared/product-protocol/bytes.js';
import { systemClock } from '../../shared/system-clock.js';
import { productDeviceIdSchema } from '../../shared/ids.js';
import { serveParent } from './harness.js';
import { crypto } from '../unit/product-protocol/protocol-fixture.js';

const [radioPath = '', deviceIds = '', masterKey = '', latencyMs = '0', movementMs = '0'] = process.argv.slice(2);
const radio = createVirtualRadio({ random: Math.random, defaults: { latencyMs: Number(latencyMs) } });
const air = createBlenoAir(radio);
await serveHub(radio, radioPath);
for (const text of deviceIds.split(',')) {
  const device_id = productDeviceIdSchema.parse(text);
  const config = {
    device_id,
    name: device_id,
    type: 'barrier' as const,
    power_type: 'mains',
    master_key: hexToBytes(masterKey),
    autoclose: { on: false, seconds: 10 },
  };
  const deps = {
    crypto,
    air,
    gateways: [],
    clock: systemClock,
    randomBytes,
    logger: silentLogger,
    movementMs: Number(movementMs),
  };
  await startProduct(config, deps);
}
/** Takes products out of range: those whose ids it is told. */
serveParent('ready', {
  answer(away: string[]) {
    for (const text of deviceIds.split(',')) radio.setProduct(text, { inRange: !away.includes(text) });
  },
});
