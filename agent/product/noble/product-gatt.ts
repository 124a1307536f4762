import { PRODUCT_CHARACTERISTIC_UUIDS, PRODUCT_SERVICE_UUID } from '../../../shared/product-protocol/gatt.js';

/** noble and bleno write UUIDs without dashes. */
const plain = (uuid: string): string => uuid.replaceAll('-', '');

/** The product's GATT service in the spelling of noble and bleno. */
export const PRODUCT_GATT = {
  service: plain(PRODUCT_SERVICE_UUID),
  rx: plain(PRODUCT_CHARACTERISTIC_UUIDS.rx),
  tx: plain(PRODUCT_CHARACTERISTIC_UUIDS.tx),
  info: plain(PRODUCT_CHARACTERISTIC_UUIDS.info),
  pair: plain(PRODUCT_CHARACTERISTIC_UUIDS.pair),
} as const;
