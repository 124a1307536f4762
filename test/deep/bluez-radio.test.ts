/**
 * The radio over BlueZ's own emulation of controllers, whose reading of Bluetooth is not ours: the conformance of the driver, and commands.
 * Without the program (Debian: bluez-test-tools) there is one loud line.
 */
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Radio } from '../../agent/product/radio.js';
import { toBenchProduct } from '../conformance/radio-benches.js';
import { type RadioBench, radioConformance } from '../conformance/radio-conformance.js';
import { commandSuite } from '../integration/product/command-suite.js';
import { startRadioWorld } from '../integration/product/radio-world.js';
import { startPeripheral } from '../../scripts/sim/radio/bleno-peripheral.js';
import { type Btvirt, findBtvirt, startBtvirt } from '../devices/btvirt.js';
import type { Peripheral } from '../../scripts/sim/radio/product-air.js';
import { nobleRadio } from '../world/test-radios.js';

const program = findBtvirt();
const missing: string | null =
  program === null
    ? 'install bluez-test-tools, or set BTVIRT to its btvirt'
    : await startBtvirt(program).then(
        async (tried) => {
          await tried.close();
          return null;
        },
        (error: Error) => error.message,
      );

if (program === null || missing !== null) {
  process.stderr.write(`\n!!! THE RADIO IS NOT TESTED OVER THE CONTROLLERS OF BLUEZ: ${missing}\n\n`);
  it.skip(`the radio over the controllers of BlueZ: ${missing}`);
} else {
  /** Each suite has controllers that nobody used before: a host that ends leaves its links to them. */
  const withBtvirt = (name: string, suite: (btvirt: () => Btvirt) => void) =>
    describe(name, () => {
      let btvirt: Btvirt;
      beforeAll(async () => {
        btvirt = await startBtvirt(program);
      });
      afterAll(() => btvirt.close());
      suite(() => btvirt);
    });
  withBtvirt('the driver over the controllers of BlueZ', (btvirt) => {
    radioConformance('noble and bleno', () => createBluezBench(btvirt()), false);
  });
  withBtvirt('commands over the controllers of BlueZ', (btvirt) => {
    commandSuite('commands', () => startRadioWorld({ openTransport: () => btvirt().openTransport() }), false);
  });
}

/** Products have the addresses that their controllers give them; the tests name them by others. */
async function createBluezBench(btvirt: Btvirt): Promise<RadioBench> {
  const realOf = new Map<string, string>();
  const nameOf = new Map<string, string>();
  const peripherals: Peripheral[] = [];
  const noble = nobleRadio(
    { kind: 'transport', open: () => btvirt.openTransport() },
    {},
    { writeTimeoutMs: 500, repeatMs: 200 },
  );
  const radio: Radio = {
    get state() {
      return noble.state;
    },
    onStateChange: noble.onStateChange,
    onAdvertisement: (listener) =>
      noble.onAdvertisement((said) => listener({ ...said, address: nameOf.get(said.address) ?? said.address })),
    onSlotWanted: noble.onSlotWanted,
    onBeacon: noble.onBeacon,
    wantBeacons: noble.wantBeacons,
    connect: (address, how) => noble.connect(realOf.get(address) ?? address, how),
    close: () => noble.close(),
  };
  const cannot = () => {
    throw new Error('the controllers of BlueZ cannot be steered');
  };
  return {
    radio,
    async addProduct({ address, manufacturerData, mtu }) {
      const written: Uint8Array[] = [];
      const transport = btvirt.openTransport((real) => {
        realOf.set(address, real);
        nameOf.set(real, address);
      });
      const peripheral = await startPeripheral({
        transport,
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
    addBeacon: cannot,
    setPath: cannot,
    setPower: cannot,
    async close() {
      for (const peripheral of peripherals) peripheral.close();
    },
  };
}
