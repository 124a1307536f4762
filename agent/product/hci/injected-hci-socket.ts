/**
 * Gives unmodified noble and bleno our own HCI socket. Both build `@abandonware/bluetooth-hci-socket` while they load, and throw when
 * the kernel has no Bluetooth. So our socket is put in its place in the require cache before they load.
 */
import { EventEmitter } from 'node:events';
import Module, { createRequire } from 'node:module';
import type { HciTransport } from './hci-transport.js';

const require = createRequire(import.meta.url);
const SOCKET_PACKAGE = '@abandonware/bluetooth-hci-socket';
const HOSTS = ['@abandonware/noble', '@abandonware/bleno'];

/** The transport of the sockets that are being built. */
let building: HciTransport | undefined;

/** The part of the native socket's interface that noble and bleno use. */
class InjectedHciSocket extends EventEmitter {
  private readonly transport = building;
  private bound = false;
  private started = false;
  private stopListening: (() => void) | undefined;

  bindRaw(deviceId?: number): number {
    if (this.transport === undefined) throw new Error('An HCI socket was built outside withHciTransport');
    this.bound = true;
    return deviceId ?? 0;
  }

  bindUser(deviceId?: number): number {
    return this.bindRaw(deviceId);
  }

  /** bleno's management socket, one for all its instances. It would carry bonding keys; the products use none. */
  bindControl(): number {
    return 0;
  }

  isDevUp(): boolean {
    return this.transport?.up ?? false;
  }

  setFilter(): void {
    // A virtual controller sends nothing that its host would filter.
  }

  start(): void {
    if (!this.bound || this.started) return;
    this.started = true;
    this.stopListening = this.transport?.onPacket((packet) => this.emit('data', packet));
  }

  stop(): void {
    this.started = false;
    this.stopListening?.();
  }

  write(packet: Buffer): void {
    if (this.bound) this.transport?.write(packet);
  }
}

/**
 * Runs `load`, which requires or constructs noble or bleno, so that the HCI sockets they build use the transport.
 * Throws when the real socket was loaded in this process before: the two do not mix.
 */
export function withHciTransport<T>(transport: HciTransport, load: () => T): T {
  replaceSocketPackage();
  building = transport;
  try {
    return load();
  } finally {
    building = undefined;
  }
}

function replaceSocketPackage(): void {
  for (const host of HOSTS) {
    const file = createRequire(require.resolve(host)).resolve(SOCKET_PACKAGE);
    const present = require.cache[file];
    if (present?.exports === InjectedHciSocket) continue;
    if (present !== undefined) {
      throw new Error(`${SOCKET_PACKAGE} is loaded already: an emulated radio needs a process of its own`);
    }
    const replacement = new Module(file);
    replacement.filename = file;
    replacement.loaded = true;
    replacement.exports = InjectedHciSocket;
    require.cache[file] = replacement;
  }
}
