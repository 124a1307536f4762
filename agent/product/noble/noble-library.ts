/** Builds and ends unmodified noble, one instance at a time. */
import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { HciTransport } from '../hci/hci-transport.js';
import { type HostHci, startHost } from '../hci/host-lifetime.js';
import { withHciTransport } from '../hci/injected-hci-socket.js';
import { createListeners } from '../../waiting/listeners.js';

const require = createRequire(import.meta.url);

export interface NoblePeripheral extends EventEmitter {
  /** The address, 12 lower-case hex digits. */
  readonly id: string;
  readonly rssi: number;
  /** The MTU of the last connection; null before one was agreed for the first time. */
  readonly mtu: number | null;
  readonly state: string;
  /** The UUID of a service is in hexadecimal, and its data are without the UUID. */
  readonly advertisement: { manufacturerData?: Buffer; serviceData?: { uuid: string; data: Buffer }[] };
  services: NobleService[] | null;
  connect(): void;
  cancelConnect(): void;
  disconnect(): void;
  discoverServices(uuids: string[]): void;
}

export interface NobleService extends EventEmitter {
  readonly uuid: string;
  discoverCharacteristics(uuids: string[]): void;
}

export interface NobleCharacteristic extends EventEmitter {
  readonly uuid: string;
  write(data: Buffer, withoutResponse: boolean): void;
  subscribe(): void;
}

/** Attribute handles as noble returns them and accepts them again. */
export interface RawAttribute {
  uuid: string;
}

export interface Noble extends EventEmitter {
  startScanning(serviceUuids: string[], allowDuplicates: boolean): void;
  stopScanning(): void;
  /** Sends HCI Reset. */
  reset(): void;
  addService(peripheralId: string, service: RawAttribute): NobleService;
  addCharacteristics(peripheralId: string, serviceUuid: string, characteristics: RawAttribute[]): NobleCharacteristic[];
}

/** The maps in which noble keeps everything that it ever heard. */
interface NobleMemory {
  _peripherals: Record<string, NoblePeripheral>;
  _services: Record<string, unknown>;
  _characteristics: Record<string, unknown>;
  _descriptors: Record<string, unknown>;
  _discoveredPeripheralUUids: Record<string, unknown>;
}

/** The part of noble's HCI half that makes connections, reports them and ends them. */
interface LinkHci extends HostHci {
  /** Takes a packet of the adapter. */
  onSocketData(packet: Buffer): void;
  _socket: HostHci['_socket'] & { write(packet: Buffer): void };
  on(event: 'leConnComplete', listener: LinkMadeListener): void;
  on(event: 'disconnComplete', listener: (handle: number) => void): void;
  disconnect(handle: number): void;
}
type LinkMadeListener = (
  status: number,
  handle?: number,
  role?: number,
  addressType?: string,
  address?: string,
) => void;

interface NobleBindings extends EventEmitter {
  init(): void;
  _hci: LinkHci;
  _gap: { _discoveries: Record<string, unknown> };
  _addresses: Record<string, unknown>;
  _addresseTypes: Record<string, unknown>;
  _connectable: Record<string, unknown>;
  scannable: Record<string, unknown>;
}

interface NobleModules {
  createNoble: (bindings: NobleBindings) => Noble & NobleMemory & { initialized: boolean };
  NobleBindings: new (options: { deviceId?: number }) => NobleBindings;
}

export interface NobleInstance {
  readonly noble: Noble;
  /** Opens the HCI socket; 'stateChange' follows. Throws when there is no adapter. */
  start(): void;
  /** Calls the listener once the adapter has answered the reset that `noble.reset()` asks for. Returns how to stop. */
  onceReset(listener: () => void): () => void;
  /** The connections that the adapter reports: the product's address by the connection's handle. */
  links(): ReadonlyMap<number, string>;
  /** Calls the listener with their number each time one begins or ends. */
  onLinks(listener: (count: number) => void): void;
  /** Tells the adapter to end one of its connections, also one that noble does not know. */
  endLink(handle: number): void;
  /** Drops every peripheral that is not to be kept. noble itself forgets none, and every passing phone is one. */
  forget(keep: (peripheralId: string) => boolean): void;
  /** Ends this noble; its peripherals are dead from then on. Idempotent. */
  end(): void;
}

/**
 * Builds a noble on the transport, or on the kernel's adapter: `deviceId` n is hci-n, and without it the first one that is up.
 * Throws when the kernel has no Bluetooth.
 * @param options.isWanted which packets of the adapter noble sees
 */
export function buildNoble(options: {
  transport: HciTransport | undefined;
  deviceId: number | undefined;
  isWanted: (packet: Buffer) => boolean;
}): NobleInstance {
  const { transport, deviceId, isWanted } = options;
  const build = () => {
    const { createNoble, NobleBindings } = loadModules();
    const bindings = new NobleBindings(deviceId === undefined ? {} : { deviceId });
    return { bindings, noble: createNoble(bindings) };
  };
  const { bindings, noble } = transport === undefined ? build() : withHciTransport(transport, build);
  const { _hci: hci } = bindings;
  const receive = hci.onSocketData.bind(hci);
  hci.onSocketData = (packet) => {
    if (isWanted(packet)) receive(packet);
  };
  const { _socket: socket } = hci;
  const write = socket.write.bind(socket);
  socket.write = (packet) => write(withWholeWindow(packet));
  // Without this the first listener of 'stateChange' starts noble, and failures are then only a 'warning'.
  noble.initialized = true;
  const links = linksOf(hci);
  let endHost: (() => void) | undefined;
  return {
    noble,
    start() {
      endHost = startHost(hci, () => bindings.init());
    },
    onceReset(listener) {
      // noble reads the address after the reset.
      bindings.once('addressChange', listener);
      return () => void bindings.removeListener('addressChange', listener);
    },
    links: () => links.present,
    onLinks: links.onChange.add,
    endLink: (handle) => hci.disconnect(handle),
    forget: (keep) => forget({ noble, bindings, keep }),
    end() {
      // An adapter would go on scanning without its program.
      noble.stopScanning();
      noble.removeAllListeners();
      endHost?.();
    },
  };
}

function linksOf(hci: LinkHci) {
  const present = new Map<number, string>();
  const onChange = createListeners<number>();
  hci.on('leConnComplete', (status, handle, _role, _addressType, address) => {
    if (status !== 0 || handle === undefined || address === undefined) return;
    present.set(handle, address.replaceAll(':', '').toLowerCase());
    onChange.notify(present.size);
  });
  hci.on('disconnComplete', (handle) => {
    if (present.delete(handle)) onChange.notify(present.size);
  });
  return { present, onChange };
}

function loadModules(): NobleModules {
  return {
    createNoble: require('@abandonware/noble/with-bindings'),
    NobleBindings: require('@abandonware/noble/lib/hci-socket/bindings'),
  };
}

function forget(options: { noble: NobleMemory; bindings: NobleBindings; keep: (id: string) => boolean }): void {
  const { noble, bindings, keep } = options;
  const { _peripherals: peripherals, _services, _characteristics, _descriptors, _discoveredPeripheralUUids } = noble;
  const { _gap: gap, _addresses, _addresseTypes, _connectable, scannable } = bindings;
  const { _discoveries: discoveries } = gap;
  const byId = [peripherals, _services, _characteristics, _descriptors, _discoveredPeripheralUUids];
  for (const id of Object.keys(peripherals)) {
    if (keep(id)) continue;
    for (const memory of [...byId, _addresses, _addresseTypes, _connectable, scannable]) delete memory[id];
  }
  for (const address of Object.keys(discoveries)) if (!keep(address.replaceAll(':', ''))) delete discoveries[address];
}

/** LE Create Connection as noble writes it to the adapter, behind the H4 packet type: opcode and length. */
const CREATE_CONNECTION = Buffer.from([0x01, 0x0d, 0x20, 0x19]);
/** The positions of how often, and for how long each time, the adapter listens for the product. */
const INTERVAL_AT = 4;
const WINDOW_AT = 6;

/**
 * Makes an adapter listen for a product all the time while it connects. noble asks for half of the time, so that every other advertisement
 * is missed and a driver at the barrier waits for the next one.
 * @param packet that noble writes; it is changed in place when it is the command
 */
function withWholeWindow(packet: Buffer): Buffer {
  const isConnect = packet.subarray(0, CREATE_CONNECTION.length).equals(CREATE_CONNECTION);
  if (isConnect) packet.copy(packet, WINDOW_AT, INTERVAL_AT, WINDOW_AT);
  return packet;
}
