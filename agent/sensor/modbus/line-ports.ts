/** What a line of Modbus units is reached by: a serial port, or the TCP connection of a serial device server that hands bytes through. */
import { realpathSync } from 'node:fs';
import { connect as connectSocket, type Socket } from 'node:net';
import { normalize } from 'node:path';
import { HOST_AND_PORT_FORM, hostPortOf } from '../../../shared/drivers/host-port.js';
import { SERIAL_PORT_FORM, type SerialPort, serialPortOf } from '../../../shared/drivers/serial-port.js';
import type { Client } from './modbus-connection.js';

const CONNECT_TIMEOUT_MS = 5_000;
/** What waits without being an answer: as much as the longest frame has. */
const WAITING_MAX = 256;

export interface LinePort {
  /** What is behind the address, which may have several names: it is opened once. */
  device: string;
  /** How it is spoken on: all its users speak alike. */
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
    // It is not there; whoever opens it says so.
    return normalize(path);
  }
}

function openSocket(to: { host: string; port: number }): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ ...to, noDelay: true, timeout: CONNECT_TIMEOUT_MS });
    socket.once('timeout', () => socket.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`)));
    // Whoever uses it hears that it is closed; without a listener the error would end the program.
    socket.on('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

/** Where the library's own ports, of which its types say nothing, have what came and was no answer, such as one that came too late. */
const WAITING = '_buffer';

interface BufferedPort {
  [WAITING]: Buffer;
  write(frame: Buffer): void;
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
    // The library would take it for the answer to this request.
    port[WAITING] = Buffer.alloc(0);
    write(frame);
  };
  const client = new library.default(port);
  // A line that breaks ends its requests; without a listener the error would end the program.
  client.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    client.open((error?: Error | null) => (error === undefined || error === null ? resolve() : reject(error)));
  });
  return client;
}
