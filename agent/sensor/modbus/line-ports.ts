/** The ways to a line of Modbus units: a serial port, or the TCP connection of a serial device server that passes bytes on unchanged. */
import { realpathSync } from 'node:fs';
import { connect as connectSocket, type Socket } from 'node:net';
import { normalize } from 'node:path';
import { HOST_AND_PORT_FORM, hostPortOf } from '../../../shared/drivers/host-port.js';
import { SERIAL_PORT_FORM, type SerialPort, serialPortOf } from '../../../shared/drivers/serial-port.js';
import type { Client } from './modbus-connection.js';

const CONNECT_TIMEOUT_MS = 5_000;
/** How many unread bytes are kept: those of the longest frame. */
const WAITING_MAX = 256;

export interface LinePort {
  /** The device behind the address. A device may have several names, and is opened once. */
  device: string;
  /** The settings of the line, which all its users share. */
  settings: string;
  /** Rejects with the reason when it cannot be opened, within a few seconds. */
  open(): Promise<Client>;
}

/** @throws Error for people: the address is no serial port's */
export function serialLineAt(address: string): LinePort {
  const port = serialPortOf(address);
  if (port === null) throw new Error(`address ${SERIAL_PORT_FORM}`);
  const { path, baudRate, parity } = port;
  return {
    device: deviceAt(path),
    settings: `baud=${baudRate}&parity=${parity}`,
    open: () => openClient(({ RTUBufferedPort }) => new RTUBufferedPort(path, { baudRate, parity })),
  };
}

/** @throws Error for people: the address has no port */
export function tcpLineAt(address: string): LinePort {
  const { host, port } = hostPortOf(address) ?? {};
  if (host === undefined || typeof port !== 'number') throw new Error(`address ${HOST_AND_PORT_FORM}`);
  return {
    device: `${host.toLowerCase()}:${port}`,
    settings: '',
    async open() {
      const socket = await openSocket({ host, port });
      return openClient(({ TelnetPort }) => {
        const handed = new TelnetPort({ socket });
        socket.on('data', () => {
          if (handed[WAITING].length > WAITING_MAX) handed[WAITING] = handed[WAITING].subarray(-WAITING_MAX);
        });
        return handed;
      });
    },
  };
}

function deviceAt(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The device is not there; the attempt to open it says so.
    return normalize(path);
  }
}

function openSocket(to: { host: string; port: number }): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ ...to, noDelay: true, timeout: CONNECT_TIMEOUT_MS });
    socket.once('timeout', () => socket.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`)));
    // The user of the socket hears that it is closed; without a listener the error would end the program.
    socket.on('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

/** The property of the library's ports, missing in its types, that holds bytes which were no answer, such as a late answer. */
const WAITING = '_buffer';

interface BufferedPort {
  [WAITING]: Buffer;
  write(frame: Buffer): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

interface PortLibrary {
  RTUBufferedPort: new (path: string, options: Pick<SerialPort, 'baudRate' | 'parity'>) => BufferedPort;
  /** The frames of a serial line over a socket, as they are: Telnet is only in its name. */
  TelnetPort: new (options: {
    socket: Socket;
  }) => BufferedPort;
}

async function openClient(portOf: (library: PortLibrary) => BufferedPort): Promise<Client> {
  // The library is loaded only when it is needed: while it loads it looks for drivers of serial ports.
  const { default: library } = await import('modbus-serial');
  const port = portOf(library as unknown as PortLibrary);
  const write = port.write.bind(port);
  port.write = (frame) => {
    // The library would read waiting bytes as the answer to this request.
    port[WAITING] = Buffer.alloc(0);
    write(frame);
  };
  const client = new library.default(port);
  // A line that breaks ends its requests; without listeners the error would end the program. The client lets go of its port when it
  // closes, and a write that is still under way fails after that: an adapter that was unplugged.
  client.on('error', () => {});
  port.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    client.open((error?: Error | null) => (error === undefined || error === null ? resolve() : reject(error)));
  });
  return client;
}
