/** Fills in the form of a new camera with one that was found on the network. */

interface Found {
  address: string;
  vendor: string;
  model: string;
  serial: string;
  driver: string | null;
}

interface Filled {
  name: string;
  device_id: string;
  driver: string;
  address: string;
}

const ID_LENGTH_MAX = 64;

/** A name that was typed stays. The identifier is the serial number, or the address where the camera told none. */
export function suggestedCamera(found: Found, typed: Pick<Filled, 'name' | 'driver'>): Filled {
  const { address, vendor, model, serial, driver } = found;
  return {
    name: typed.name === '' ? `${vendor} ${model}`.trim() || address : typed.name,
    device_id: idOf(serial) || idOf(address.replace(/^[a-z]+:\/\//i, '')),
    driver: driver ?? typed.driver,
    address,
  };
}

/** Only letters, digits, dots, dashes and underscores stand in an identifier. The end of a serial number tells cameras apart. */
const idOf = (text: string): string =>
  text
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(-ID_LENGTH_MAX);
