import { startBeacon, startPeripheral } from './bleno-peripheral.js';
import { createPaths } from './paths.js';
import type { ProductAir } from './product-air.js';

/**
 * The real air, for a bench: one product on an adapter of the kernel, because an adapter advertises one thing at a time. Settings of
 * range and signal have no effect: move the product.
 */
export function createAdapterAir(adapter: number): ProductAir {
  let isUsed = false;
  const acquire = () => {
    if (isUsed) throw new Error(`hci${adapter} advertises one thing: start parking-sim once for each adapter`);
    isUsed = true;
    return adapter;
  };
  return {
    ...createPaths({ onChange() {} }),
    startBeacon: async (_address, data) => startBeacon(acquire(), data),
    startPeripheral: async (_address, side) => startPeripheral({ ...side, transport: acquire() }),
  };
}
