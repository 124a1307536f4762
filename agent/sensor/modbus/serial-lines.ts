/** Serial lines on which Modbus units answer one after the other. A line is open as long as somebody uses it. */
import { realpathSync } from 'node:fs';
import { normalize } from 'node:path';
import type { Client, ModbusConnection } from './modbus-connection.js';
import { readRange } from './modbus-connection.js';

const FORM = 'address must be a serial port such as /dev/ttyUSB0, or /dev/ttyUSB0?baud=19200&parity=even';
const BAUD_DEFAULT = 9_600;
const BAUD_MAX = 4_000_000;
const PARITIES = ['none', 'even', 'odd'] as const;

interface Line {
  /** How it was opened: all its users speak alike. */
  settings: string;
  client: Client;
  users: number;
  /** The end of the request that is under way. */
  turn: Promise<unknown>;
}

export interface SerialLines {
  /** Opens the line, unless it is open. Rejects with the reason when it cannot be opened. */
  connect(address: string, unit: number): Promise<ModbusConnection>;
}

export function createSerialLines({ requestTimeoutMs }: { requestTimeoutMs: number }): SerialLines {
  const lines = new Map<string, Promise<Line>>();

  function lineAt(port: SerialPort): Promise<Line> {
    const { device } = port;
    const known = lines.get(device);
    if (known !== undefined) return known;
    const opening = openLine(port, requestTimeoutMs);
    lines.set(device, opening);
    const forget = () => {
      if (lines.get(device) === opening) lines.delete(device);
    };
    opening.then(({ client }) => client.on('close', forget), forget);
    return opening;
  }

  return {
    async connect(address, unit) {
      const port = portOf(address);
      const opening = lineAt(port);
      const line = await opening;
      if (line.settings !== settingsOf(port)) {
        throw new Error(`${address}: another parking gateway uses this line with ${line.settings}`);
      }
      line.users += 1;
      let isClosed = false;
      return {
        read({ function: code, range }) {
          const read = async () => {
            line.client.setID(unit);
            return readRange(line.client, code, range);
          };
          const values = line.turn.then(read, read);
          line.turn = values.catch(() => undefined);
          return values.catch((cause: Error) => {
            if (cause.name === 'ModbusException') throw cause;
            throw new Error(`${address}, unit ${unit}: ${cause.message}`, { cause });
          });
        },
        close() {
          if (isClosed) return;
          isClosed = true;
          line.users -= 1;
          if (line.users > 0 && line.client.isOpen) return;
          if (lines.get(port.device) === opening) lines.delete(port.device);
          if (line.client.isOpen) line.client.close(() => {});
        },
      };
    },
  };
}

/** A serial port, and how one speaks on it. */
interface SerialPort {
  path: string;
  /** What is behind the path: udev gives a port several names, and a line is opened once. */
  device: string;
  baudRate: number;
  parity: (typeof PARITIES)[number];
}

const settingsOf = ({ baudRate, parity }: SerialPort): string => `baud=${baudRate}&parity=${parity}`;

/** @throws Error for people: the address is no serial port's */
function portOf(address: string): SerialPort {
  const [path = '', query = ''] = address.split('?', 2);
  const settings = new URLSearchParams(query);
  const baudRate = Number(settings.get('baud') ?? BAUD_DEFAULT);
  const parity = PARITIES.find((each) => each === (settings.get('parity') ?? 'none'));
  if (!path.startsWith('/') || !(baudRate > 0 && baudRate <= BAUD_MAX) || parity === undefined) throw new Error(FORM);
  return { path, device: deviceAt(path), baudRate, parity };
}

function deviceAt(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It is not there; whoever opens it says so.
    return normalize(path);
  }
}

async function openLine(port: SerialPort, requestTimeoutMs: number): Promise<Line> {
  const { path, baudRate, parity } = port;
  // The library is loaded only when it is needed: while it loads it looks for drivers of serial ports.
  const { default: library } = await import('modbus-serial');
  const client = new library.default();
  // A line that breaks ends its requests; without a listener the error would end the program.
  client.on('error', () => {});
  client.setTimeout(requestTimeoutMs);
  await client.connectRTUBuffered(path, { baudRate, parity });
  return { settings: settingsOf(port), client, users: 0, turn: Promise.resolve() };
}
