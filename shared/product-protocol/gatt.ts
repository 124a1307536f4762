/** The product's GATT service. Products do not use Bluetooth bonding: the messages themselves are secured end to end. */

export const PRODUCT_SERVICE_UUID = '74479403-3e4c-4466-9cc5-0faa0049d7bd';

export const PRODUCT_CHARACTERISTIC_UUIDS = {
  /** Write: fragments to the product. */
  rx: '74479404-3e4c-4466-9cc5-0faa0049d7bd',
  /** Notify: fragments from the product. */
  tx: '74479405-3e4c-4466-9cc5-0faa0049d7bd',
  /** Read: the manufacturer data of the product's advertisement. */
  info: '74479406-3e4c-4466-9cc5-0faa0049d7bd',
  /** Pairing messages. It exists only while the pairing window is open. */
  pair: '74479407-3e4c-4466-9cc5-0faa0049d7bd',
} as const;
