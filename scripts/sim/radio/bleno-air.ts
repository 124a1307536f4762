import { startBeacon, startPeripheral } from './bleno-peripheral.js';
import type { ProductAir } from './product-air.js';
import type { VirtualRadio } from './virtual-radio.js';

/**
 * Products and beacons with a bleno each on the emulated radio.
 * @param options.mtuMax the largest ATT MTU that the products agree to
 */
export function createBlenoAir(radio: VirtualRadio, options: { mtuMax?: number } = {}): ProductAir {
  return {
    setProduct: radio.setProduct,
    setPath: radio.setPath,
    path: radio.path,
    startBeacon: (address, data) => startBeacon(radio.openTransport({ role: 'peripheral', name: address }), data),
    startPeripheral: (address, side) =>
      startPeripheral({ ...side, ...options, transport: radio.openTransport({ role: 'peripheral', name: address }) }),
  };
}
