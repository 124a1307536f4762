/** The gateway's part in a pairing, over noble, with a simulated product over bleno. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PairingOrder, ProductPairer } from '../../../agent/product/product-commander.js';
import { createProductWatch, type ProductWatch } from '../../../agent/product/product-watch.js';
import { createRadioCommander } from '../../../agent/product/radio-commander.js';
import { type EventId, type GatewayUuid, productDeviceIdSchema } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import { answerPairing, decodePairingOffer, isPairingConfirmation } from '../../../shared/product-protocol/pairing.js';
import { systemClock as clock } from '../../../shared/system-clock.js';
import { labelSecretOf } from '../../../scripts/sim/products/product-label.js';
import type { SimProduct } from '../../../scripts/sim/products/sim-product.js';
import { startProduct } from '../../../scripts/sim/products/start-product.js';
import { createBlenoAir } from '../../../scripts/sim/radio/bleno-air.js';
import { createVirtualRadio, type VirtualRadio } from '../../../scripts/sim/radio/virtual-radio.js';
import { BARRIER, productItem } from '../../unit/product/product-item.js';
import { crypto, MASTER_KEY } from '../../unit/product-protocol/protocol-fixture.js';
import { nobleRadio } from '../../world/test-radios.js';

const GATEWAY = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01' as GatewayUuid;
const EVENT_ID = 'deadbeef' as EventId;
const grant = { masterKey: MASTER_KEY, pairingEpoch: 1, timeS: Math.floor(clock.now() / 1_000) };
const label = labelSecretOf(productDeviceIdSchema.parse(BARRIER));

describe('a pairing over noble', () => {
  let air: VirtualRadio;
  let product: SimProduct;
  let pairer: ProductPairer;
  let watch: ProductWatch;
  const closing: (() => Promise<void> | void)[] = [];

  beforeEach(async () => {
    air = createVirtualRadio({ random: Math.random });
    const deps = {
      crypto,
      air: createBlenoAir(air),
      gateways: [GATEWAY],
      clock,
      randomBytes,
      logger: silentLogger,
      movementMs: 10,
    };
    const autoclose = { on: false, seconds: 10 };
    const named = { device_id: BARRIER, name: 'Barrier', type: 'barrier' as const, power_type: 'mains' };
    product = await startProduct({ ...named, master_key: null, autoclose }, deps);
    const hci = { kind: 'transport' as const, open: () => air.openTransport({ role: 'central', name: GATEWAY }) };
    const radio = nobleRadio(hci, { clock });
    watch = createProductWatch({ radio, crypto, clock });
    watch.setProducts([productItem(BARRIER, { pairing: null })]);
    pairer = createRadioCommander({
      radio,
      watch,
      crypto,
      clock,
      randomBytes,
      knownTime: () => clock.now(),
      logger: silentLogger,
    });
    closing.push(() => radio.close(), watch.close);
    await expect.poll(() => watch.pairingAddress(BARRIER), { interval: 5 }).not.toBeNull();
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await product.close();
    air.close();
  });

  const pair = (relay: PairingOrder['relay'], limitMs = 30_000) =>
    pairer.pair({ device_id: BARRIER, event_id: EVENT_ID, deadline_mono_ms: clock.monotonic() + limitMs, relay });
  const relayWith =
    (labelSecret: Uint8Array, afterMs = 0): PairingOrder['relay'] =>
    async (bytes) => {
      const offer = decodePairingOffer(bytes);
      if (offer === null) throw new Error('the product made no offer');
      await new Promise((resolve) => clock.setTimer(afterMs, () => resolve(undefined)));
      return answerPairing(crypto, { offer, labelSecret, cloudPrivateKey: randomBytes(32), grant });
    };

  it('brings offer, answer and confirmation, also when the cloud takes longer than a link may be idle', async () => {
    expect(watch.reports()).toMatchObject([{ status: 'offline', state: null, unproven: { rssi: expect.any(Number) } }]);
    // Longer than the 5 s in which a link must prove itself otherwise.
    const outcome = await pair(relayWith(label, 5_500));
    if (outcome.outcome !== 'succeeded') throw new Error(`it failed with ${outcome.type}`);
    const identity = { deviceId: BARRIER, pairingEpoch: grant.pairingEpoch };
    const adminKey = deriveProductKeys(crypto, { masterKey: MASTER_KEY, ...identity }).admin;
    expect(isPairingConfirmation(crypto, { bytes: outcome.confirmation, adminKey, identity })).toBe(true);

    // Now it has a key: it is seen by who knows it, and does not pair again.
    watch.setProducts([productItem(BARRIER)]);
    await expect.poll(() => watch.reports()).toMatchObject([{ status: 'online', state: 'closed' }]);
    expect(watch.reports()[0]).not.toHaveProperty('unproven');
    expect(await pair(relayWith(label))).toEqual({ outcome: 'failed', type: 1, authenticated: false });
  });

  it('fails with the wrong label, and may be tried again', async () => {
    expect(await pair(relayWith(new Uint8Array(16)))).toEqual({ outcome: 'failed', type: 0, authenticated: false });
    expect(await pair(relayWith(label))).toMatchObject({ outcome: 'succeeded' });
  });

  it('fails when the cloud gives no answer, or the product is gone', async () => {
    expect(await pair(async () => null)).toEqual({ outcome: 'failed', type: 11, authenticated: false });
    const gone: PairingOrder['relay'] = (_offer, signal) => {
      product.change({ in_range: false });
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    expect(await pair(gone)).toEqual({ outcome: 'failed', type: 2, authenticated: false });
    expect(await pair(relayWith(label), 1_000)).toMatchObject({ outcome: 'failed', authenticated: false });
    product.change({ in_range: true });
    expect(await pair(relayWith(label))).toMatchObject({ outcome: 'succeeded' });
  });
});
