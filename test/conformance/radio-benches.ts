import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Radio } from '../../agent/product/radio.js';
import { systemClock } from '../../shared/system-clock.js';
import { startBeacon, startPeripheral } from '../../scripts/sim/radio/bleno-peripheral.js';
import { createDirectRadio } from '../../scripts/sim/radio/direct-radio.js';
import { createFakeRadio } from '../devices/fake-radio.js';
import { serveHub } from '../../scripts/sim/radio/hub.js';
import type { AirBeacon } from '../../scripts/sim/radio/product-air.js';
import { createVirtualRadio, type VirtualRadio } from '../../scripts/sim/radio/virtual-radio.js';
import type { BenchProduct, RadioBench } from './radio-conformance.js';
import { childRadio } from '../world/test-radios.js';
import { nobleRadio } from '../world/test-radios.js';

const GATEWAY = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const WRITE_TIMEOUT_MS = 500;

/** The fake behaves as the port says unless a test makes it misbehave. */
export async function createFakeBench(): Promise<RadioBench> {
  const fake = createFakeRadio({ clock: systemClock, writeTimeoutMs: WRITE_TIMEOUT_MS });
  const paths = new Map<string, { inRange?: boolean; rssi?: number }>();
  const products = new Map<string, ReturnType<typeof fake.addProduct>>();
  return {
    radio: fake.radio,
    async addProduct(options) {
      const written: Uint8Array[] = [];
      const product = fake.addProduct({
        ...options,
        onWrite(fragment) {
          benchProduct.onWrite?.(fragment);
          written.push(fragment);
        },
      });
      const benchProduct = toBenchProduct(product, written);
      product.setPath(paths.get(options.address) ?? {});
      products.set(options.address, product);
      return benchProduct;
    },
    addBeacon: fake.addBeacon,
    setPath(address, path) {
      paths.set(address, { ...paths.get(address), ...path });
      products.get(address)?.setPath(path);
    },
    setPower: fake.setPower,
    async close() {},
  };
}

/** The radio of the test double. */
export async function createDirectBench(): Promise<RadioBench> {
  const air = createDirectRadio({ clock: systemClock, random: Math.random, writeTimeoutMs: WRITE_TIMEOUT_MS });
  const peripherals: Pick<AirBeacon, 'close'>[] = [];
  const keep = async (starting: Promise<AirBeacon>) => {
    const beacon = await starting;
    peripherals.push(beacon);
    return beacon;
  };
  return {
    radio: air.radioOf(GATEWAY),
    async addProduct({ address, manufacturerData, mtu }) {
      const written: Uint8Array[] = [];
      const onWrite = (fragment: Uint8Array) => {
        product.onWrite?.(fragment);
        written.push(fragment);
      };
      const peripheral = air.addPeripheral(address, { manufacturerData, onWrite, info: () => new Uint8Array() }, mtu);
      const product = toBenchProduct(peripheral, written);
      peripherals.push(peripheral);
      return product;
    },
    addBeacon: (address, data) => keep(air.startBeacon(address, data)),
    setPath: (address, path) => air.setPath({ product: address, central: GATEWAY }, path),
    setPower: (up) => air.setPower(GATEWAY, up),
    async close() {
      for (const peripheral of peripherals) peripheral.close();
    },
  };
}

/** noble in this process, on an emulated radio in this process. */
export async function createNobleBench(): Promise<RadioBench> {
  const air = createVirtualRadio({ random: Math.random });
  const radio = nobleRadio(
    { kind: 'transport', open: () => air.openTransport({ role: 'central', name: GATEWAY }) },
    {},
    { writeTimeoutMs: WRITE_TIMEOUT_MS, repeatMs: 200 },
  );
  return virtualBench({ air, radio, closeAir: async () => air.close() });
}

/** noble in its own process, which reaches the emulated radio over a unix socket. */
export async function createChildBench(): Promise<RadioBench> {
  const folder = mkdtempSync(join(tmpdir(), 'radio-'));
  const path = join(folder, 'hub.sock');
  const air = createVirtualRadio({ random: Math.random });
  const hub = await serveHub(air, path);
  const radio = childRadio({ kind: 'sim', path, name: GATEWAY }, {}, { writeTimeoutMs: WRITE_TIMEOUT_MS });
  const closeAir = async () => {
    await hub.close();
    air.close();
    rmSync(folder, { recursive: true });
  };
  return virtualBench({ air, radio, closeAir });
}

function virtualBench(options: { air: VirtualRadio; radio: Radio; closeAir: () => Promise<void> }): RadioBench {
  const { air, radio, closeAir } = options;
  const peripherals: Pick<AirBeacon, 'close'>[] = [];
  const keep = async (starting: Promise<AirBeacon>) => {
    const beacon = await starting;
    peripherals.push(beacon);
    return beacon;
  };
  return {
    radio,
    async addProduct({ address, manufacturerData, mtu }) {
      const written: Uint8Array[] = [];
      const peripheral = await startPeripheral({
        transport: air.openTransport({ role: 'peripheral', name: address }),
        manufacturerData,
        mtuMax: mtu,
        info: () => new Uint8Array(),
        onWrite(fragment) {
          product.onWrite?.(fragment);
          written.push(fragment);
        },
      });
      const product = toBenchProduct(peripheral, written);
      peripherals.push(peripheral);
      return product;
    },
    addBeacon: (address, data) => keep(startBeacon(air.openTransport({ role: 'peripheral', name: address }), data)),
    setPath: (address, path) => air.setPath({ product: address, central: GATEWAY }, path),
    setPower: (up) => air.setPower(GATEWAY, up),
    async close() {
      for (const peripheral of peripherals) peripheral.close();
      await closeAir();
    },
  };
}

export function toBenchProduct(
  side: { readonly connected: boolean } & Pick<BenchProduct, 'notify' | 'setAdvertisement' | 'disconnect'>,
  written: Uint8Array[],
): BenchProduct {
  return {
    get connected() {
      return side.connected;
    },
    written,
    onWrite: undefined,
    notify: (fragment) => side.notify(fragment),
    setAdvertisement: (manufacturerData) => side.setAdvertisement(manufacturerData),
    disconnect: () => side.disconnect(),
  };
}
