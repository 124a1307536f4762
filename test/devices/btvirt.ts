/**
 * BlueZ's own emulation of Bluetooth controllers (Debian: bluez-test-tools): a second opinion on what a controller does. It needs no Bluetooth in
 * the kernel: each connection to its unix socket is one controller, which speaks H4, and all of them hear each other.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createH4Parser, H4_EVENT } from '../../agent/product/hci/h4-parser.js';
import type { HciTransport } from '../../agent/product/hci/hci-transport.js';
import { createPacketPacer } from '../../agent/product/hci/packet-pacer.js';
import { deferred } from '../../agent/waiting/deferred.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';

const SHIM = fileURLToPath(new URL('../../../test/devices/alg-shim/alg-shim.c', import.meta.url));
/** btvirt listens here, and nowhere else. */
const SOCKET = '/tmp/bt-server-le';
const SOCKETS = ['amp', 'bredr', 'bredrle', 'le', 'mon'].map((name) => `/tmp/bt-server-${name}`);

/** The program, of `BTVIRT` or from the path; null: it is not installed. */
export function findBtvirt(): string | null {
  const { BTVIRT, PATH = '' } = process.env;
  const places = BTVIRT === undefined ? PATH.split(delimiter).map((folder) => join(folder, 'btvirt')) : [BTVIRT];
  return places.find((place) => existsSync(place)) ?? null;
}

export interface Btvirt {
  /** A new controller. `onAddress` is told its address, 12 hex digits, when its host asks for it. */
  openTransport(onAddress?: (address: string) => void): HciTransport;
  close(): Promise<void>;
}

/** Starts it. Rejects when another one runs on this machine, as there can be one only, and when its controllers do not answer. */
export async function startBtvirt(program: string): Promise<Btvirt> {
  if (await answers()) throw new Error(`another btvirt listens at ${SOCKET}: end it first`);
  for (const path of SOCKETS) rmSync(path, { force: true });
  const folder = mkdtempSync(join(tmpdir(), 'btvirt-'));
  const library = join(folder, 'alg-shim.so');
  const isShimmed = spawnSync('cc', ['-shared', '-fPIC', '-o', library, SHIM, '-ldl']).status === 0;
  const env = { ...process.env, ...(isShimmed ? { LD_PRELOAD: library } : {}) };
  // What it still says to a host that has just gone would end it: the shell has it ignore SIGPIPE.
  const child: ChildProcess = spawn('/bin/sh', ['-c', `trap '' PIPE; exec "$0" -s`, program], { stdio: 'ignore', env });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
    for (const path of [...SOCKETS, folder]) rmSync(path, { force: true, recursive: true });
  };
  await waitUntil('btvirt to listen', answers);
  if (!(await hasControllers())) {
    await close();
    throw new Error(
      'its controllers do not answer: the kernel needs AF_ALG (CONFIG_CRYPTO_USER_API_SKCIPHER), or cc has to be there',
    );
  }
  return { openTransport, close };
}

/** Whether a controller answers a reset. */
function hasControllers(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path: SOCKET });
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
    socket.once('data', () => end(true));
    socket.write(Buffer.from([1, 3, 0x0c, 0]));
  });
}

function answers(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path: SOCKET });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function openTransport(onAddress: (address: string) => void = () => {}): HciTransport {
  const socket = connect({ path: SOCKET });
  const parser = createH4Parser();
  const listeners = new Set<(packet: Buffer) => void>();
  const pacer = createPacketPacer((packet) => {
    for (const listener of listeners) listener(packet);
  });
  const closed = deferred<void>();
  let isOpen = true;
  socket.on('data', (chunk) => {
    for (const packet of parser.push(chunk)) {
      const address = addressIn(packet);
      if (address !== null) onAddress(address);
      pacer.push(packet);
    }
  });
  // 'close' follows.
  socket.on('error', () => {});
  socket.once('close', () => {
    isOpen = false;
    pacer.stop();
    closed.resolve();
  });
  return {
    get up() {
      return isOpen;
    },
    closed: closed.promise,
    write: (packet) => void (isOpen && socket.write(packet)),
    onPacket(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => void socket.destroy(),
  };
}

/** The address in the answer to Read BD_ADDR. */
function addressIn(packet: Buffer): string | null {
  const isAnswer =
    packet.length >= 13 && packet[0] === H4_EVENT && packet[1] === 0x0e && packet.readUInt16LE(4) === 0x1009;
  return isAnswer ? Buffer.from(packet.subarray(7, 13)).reverse().toString('hex') : null;
}
