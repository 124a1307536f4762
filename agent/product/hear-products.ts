/** Listens for whatever advertises as a product, whoever it belongs to: people look for the one that they have just installed. */
import { type Clock, sleep } from '../../shared/clock.js';
import type { ProductDeviceId, ProductType } from '../../shared/ids.js';
import { decodeAdvertisement } from '../../shared/product-protocol/advertisement-codec.js';
import type { Radio } from './radio.js';

/** Anybody can advertise under any number of names: the first ones are kept. */
const HEARD_MAX = 256;

export interface HeardProduct {
  device_id: ProductDeviceId;
  type: ProductType;
  /** dBm, of its strongest advertisement. */
  rssi: number;
}

/** Resolves after `forMs` with what was heard, the strongest first. Rejects with the signal's reason. */
export async function hearProducts(
  { radio, clock }: { radio: Pick<Radio, 'onAdvertisement'>; clock: Clock },
  { forMs, signal }: { forMs: number; signal: AbortSignal },
): Promise<HeardProduct[]> {
  const heard = new Map<ProductDeviceId, HeardProduct>();
  const stop = radio.onAdvertisement(({ rssi, manufacturerData }) => {
    const content = decodeAdvertisement(manufacturerData);
    if (content === null) return;
    const { deviceId: device_id, type } = content;
    const known = heard.get(device_id);
    if (known === undefined && heard.size >= HEARD_MAX) return;
    heard.set(device_id, { device_id, type, rssi: Math.max(rssi, known?.rssi ?? rssi) });
  });
  try {
    await sleep(clock, forMs, signal);
  } finally {
    stop();
  }
  return [...heard.values()].sort((a, b) => b.rssi - a.rssi);
}
