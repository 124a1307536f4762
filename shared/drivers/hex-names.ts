/** Device names that consist of hexadecimal digits, as they are printed on labels: with dashes, colons, dots or spaces, in either case. */

const SEPARATORS = /[\s:.\-\u2010-\u2015]/g;
const DEV_EUI = /^[0-9a-f]{16}$/;
/** The serial numbers of beacons are shorter than addresses. A shorter text may be an ordinary name, such as 1-12. */
const SERIAL = /^([0-9a-f]{2}){4,16}$/;
const EUI_OR_ADDRESS = /^([0-9a-f]{12}|[0-9a-f]{16})$/;

/** Returns the name in the form for comparisons: lower case, without separators. */
export const hexName = (name: string): string => name.replaceAll(SEPARATORS, '').toLowerCase();

/** Returns 16 lower-case hexadecimal digits; null when the name is not a devEUI. */
export function devEuiOf(name: string): string | null {
  const digits = hexName(name);
  return DEV_EUI.test(digits) ? digits : null;
}

/** Returns the key of a device that may have any name. Separators are ignored only in an EUI-64 or a radio address. */
export function deviceNameKey(name: string): string {
  const digits = hexName(name);
  return EUI_OR_ADDRESS.test(digits) ? digits : name.trim().toLowerCase();
}

/** Returns the key of a sensor, whatever its driver. All spellings of one sensor have the same key, and no two places may have the same. */
export function sensorNameKey(name: string): string {
  const digits = hexName(name);
  return SERIAL.test(digits) ? digits : deviceNameKey(name);
}
