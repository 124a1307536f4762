import { startPeripheral } from './bleno-peripheral.js';
import type { ProductAir } from './product-air.js';
import type { VirtualRadio } from './virtual-radio.js';

/** Products with a bleno each on the emulated radio. */
export function createBlenoAir(radio: VirtualRadio): ProductAir {
  return {
    setProduct: radio.setProduct,
    setPath: radio.setPath,
    path: radio.path,
    startPeripheral: (address, side) =>
      startPeripheral({ ...side, transport: radio.openTransport({ role: 'peripheral', name: address }) }),
  };
}
