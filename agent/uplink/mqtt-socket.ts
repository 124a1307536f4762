/**
 * The socket under the MQTT driver. It gives the kernel small slices, one after the other, because a socket does not say how much of
 * one large write has left. So a slow upload can be distinguished from a dead link.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

const SLICE_BYTES = 16 * 1024;
const DEFAULT_PORTS = new Map([
  ['mqtt:', 1883],
  ['mqtts:', 8883],
]);

export interface MqttSocket {
  /** The stream that mqtt.js reads and writes. */
  stream: Duplex;
  /** The TCP or TLS socket below. */
  socket: Socket;
  /** Bytes that the kernel has accepted for sending. */
  acceptedBytes(): number;
}

/** @param ca PEM; null: the machine's own list */
export function openMqttSocket({ url, ca }: { url: string; ca: string | null }): MqttSocket {
  const socket = openSocket(url, ca);
  let acceptedBytes = 0;

  function writeSlices(bytes: Buffer, done: (error?: Error | null) => void): void {
    const slice = bytes.subarray(0, SLICE_BYTES);
    socket.write(slice, (error) => {
      acceptedBytes += slice.length;
      if (error || slice.length === bytes.length) done(error);
      else writeSlices(bytes.subarray(SLICE_BYTES), done);
    });
  }

  const stream = new Duplex({
    write: (chunk: Buffer, _encoding, done) => writeSlices(chunk, done),
    writev: (chunks: { chunk: Buffer }[], done) => writeSlices(Buffer.concat(chunks.map(({ chunk }) => chunk)), done),
    read: () => void socket.resume(),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (bytes: Buffer) => {
    if (!stream.push(bytes)) socket.pause();
  });
  socket.on('error', (error) => stream.destroy(error));
  socket.on('close', () => stream.destroy());
  return { stream, socket, acceptedBytes: () => acceptedBytes };
}

function openSocket(url: string, ca: string | null): Socket {
  const { protocol, hostname, port: givenPort } = new URL(url);
  const defaultPort = DEFAULT_PORTS.get(protocol);
  if (defaultPort === undefined) throw new Error(`the broker's address ${url} must begin with mqtt:// or mqtts://`);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const port = givenPort === '' ? defaultPort : Number(givenPort);
  if (protocol === 'mqtt:') return connectTcp({ host, port, noDelay: true });
  const socket = connectTls({
    host,
    port,
    ...(ca === null ? {} : { ca }),
    // An IP address cannot be used as a server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
  return socket.setNoDelay(true);
}
