/** The product's GATT service, as noble and bleno write UUIDs: no dashes. Product protocol, "GATT". */
export const PRODUCT_GATT = {
  service: '744794033e4c44669cc50faa0049d7bd',
  /** write: fragments to the product */
  rx: '744794043e4c44669cc50faa0049d7bd',
  /** notify: fragments of the product */
  tx: '744794053e4c44669cc50faa0049d7bd',
  /** read: what the product says about itself */
  info: '744794063e4c44669cc50faa0049d7bd',
  /** write and notify, while the pairing window is open */
  pair: '744794073e4c44669cc50faa0049d7bd',
} as const;
