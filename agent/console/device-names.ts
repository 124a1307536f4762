import { hostname, networkInterfaces } from 'node:os';
import type { DeviceNames } from './own-page.js';

/** The names and addresses of this machine as they are now, also on a link without a network, by which an installer may ask. */
export const deviceNames = (): DeviceNames => ({
  addresses: Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address)),
  hostName: hostname(),
});
