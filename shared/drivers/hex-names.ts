/** Names of devices that are hexadecimal digits, as they stand on labels: with dashes, colons, dots or blanks, in either case. */

const SEPARATORS = /[\s:.\-\u2010-\u2015]/g;
const DEV_EUI = /^[0-9a-f]{16}$/;
/** The serial numbers of beacons are shorter than addresses. With fewer digits it may be a name, such as 1-12. */
const SERIAL = /^([0-9a-f]{2}){4,16}$/;
const EUI_OR_ADDRESS = /^([0-9a-f]{12}|[0-9a-f]{16})$/;

/** The name as it is compared: lower case, without what only makes it readable. */
export const hexName = (name: string): string => name.replaceAll(SEPARATORS, '').toLowerCase();

/** 16 lower-case hexadecimal digits; null: it is no devEUI. */
export function devEuiOf(name: string): string | null {
  const digits = hexName(name);
  return DEV_EUI.test(digits) ? digits : null;
}

/** Of a device that may have any name: only an EUI-64 or a radio address is one name with separators and without. */
export function deviceNameKey(name: string): string {
  const digits = hexName(name);
  return EUI_OR_ADDRESS.test(digits) ? digits : name.trim().toLowerCase();
}

/** What all spellings of one sensor have in common, whatever its driver: two places do not have the same. */
export function sensorNameKey(name: string): string {
  const digits = hexName(name);
  return SERIAL.test(digits) ? digits : deviceNameKey(name);
}
