/** Parses the address of a serial line: `/dev/ttyUSB0?baud=19200&parity=even`. */

export const SERIAL_PORT_FORM = 'must be a serial port such as /dev/ttyUSB0, or /dev/ttyUSB0?baud=19200&parity=even';
const BAUD_DEFAULT = 9_600;
const BAUD_MAX = 4_000_000;
const PARITIES = ['none', 'even', 'odd'] as const;

export interface SerialPort {
  path: string;
  baudRate: number;
  parity: (typeof PARITIES)[number];
}

/** Returns null when the text is not the address of a serial port. */
export function serialPortOf(address: string): SerialPort | null {
  const [path = '', query = ''] = address.split('?', 2);
  const settings = new URLSearchParams(query);
  const baudRate = Number(settings.get('baud') ?? BAUD_DEFAULT);
  const parity = PARITIES.find((each) => each === (settings.get('parity') ?? 'none'));
  if (!path.startsWith('/') || !(baudRate > 0 && baudRate <= BAUD_MAX) || parity === undefined) return null;
  return { path, baudRate, parity };
}
