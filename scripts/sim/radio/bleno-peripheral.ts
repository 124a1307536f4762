import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type HostHci, startHost } from '../../../agent/product/hci/host-lifetime.js';
import type { HciTransport } from '../../../agent/product/hci/hci-transport.js';
import { withHciTransport } from '../../../agent/product/hci/injected-hci-socket.js';
import { PRODUCT_GATT } from '../../../agent/product/noble/product-gatt.js';
import type { BeaconData } from '../../../agent/sensor/beacons.js';
import type { AirBeacon, Peripheral, ProductSide } from './product-air.js';

const require = createRequire(import.meta.url);
const ATT_MTU_MIN = 23;
/** The header of a notification, before its value. */
const NOTIFICATION_HEADER_BYTES = 3;
/** bleno never calls back for longer advertisements. */
const ADVERTISING_BYTES_MAX = 31;
/** General discoverable, no classic Bluetooth. */
const ADVERTISING_FLAGS = [0x02, 0x01, 0x06];
/** Types of advertising data (Bluetooth assigned numbers, 2.3). */
const DATA_TYPES: Readonly<Record<BeaconData['kind'], number>> = { manufacturer: 0xff, service: 0x16 };

type Update = (value: Buffer) => void;

/** The used part of bleno. */
interface Bleno extends EventEmitter {
  initialized: boolean;
  PrimaryService: new (options: { uuid: string; characteristics: object[] }) => object;
  Characteristic: new (options: BlenoCharacteristicOptions) => object;
  setServices(services: object[]): void;
  startAdvertisingWithEIRData(data: Buffer, scanData: Buffer): void;
  stopAdvertising(): void;
  disconnect(): void;
  _bindings: { init(): void; _hci: HostHci; _gatt: { maxMtu: number } };
}

interface BlenoCharacteristicOptions {
  uuid: string;
  properties: string[];
  onReadRequest?: (offset: number, done: (result: number, value?: Buffer) => void) => void;
  onWriteRequest?:
    | ((data: Buffer, offset: number, withoutResponse: boolean, done: (result: number) => void) => void)
    | undefined;
  onSubscribe?: (maxValueBytes: number, update: Update) => void;
  onUnsubscribe?: () => void;
}

/** ATT results bleno answers with. */
const SUCCESS = 0x00;
const INVALID_OFFSET = 0x07;
const UNLIKELY_ERROR = 0x0e;

export interface PeripheralOptions extends ProductSide {
  /** A controller, or the number of an adapter of the kernel. */
  transport: HciTransport | number;
  /** Largest ATT MTU it agrees to, 23 to 256; the gateway asks for 256. */
  mtuMax?: number;
  /** For a device that is no product: another service's UUID, without dashes. */
  serviceUuid?: string;
  /** The type of its advertising data; left out: `manufacturer`. */
  kind?: BeaconData['kind'];
}

/** The service of a beacon: a client that connects can only read what the device is. */
const DEVICE_INFORMATION = '180a';

/** Starts a device that advertises and serves no client; resolves when it advertises. */
export async function startBeacon(transport: HciTransport | number, { kind, bytes }: BeaconData): Promise<AirBeacon> {
  const peripheral = await startPeripheral({
    transport,
    kind,
    manufacturerData: bytes,
    serviceUuid: DEVICE_INFORMATION,
    info: () => new Uint8Array(),
    onWrite: () => {
      throw new Error('a beacon takes nothing');
    },
  });
  return { setData: peripheral.setAdvertisement, close: peripheral.close };
}

/** Starts one product on the transport with a bleno of its own; resolves when it advertises. */
export async function startPeripheral(options: PeripheralOptions): Promise<Peripheral> {
  const { transport } = options;
  const bleno = loadBleno(transport);
  const { _bindings: bindings } = bleno;
  const { _gatt: gatt, _hci: hci } = bindings;
  gatt.maxMtu = options.mtuMax ?? gatt.maxMtu;
  // Otherwise the first listener of 'stateChange' starts it.
  bleno.initialized = true;
  const type = DATA_TYPES[options.kind ?? 'manufacturer'];
  let advertisement = advertisingData(type, options.manufacturerData);
  let connected = false;
  let mtu = ATT_MTU_MIN;
  const tx = notifier(() => mtu);
  const pair = notifier(() => mtu);

  const advertise = () => bleno.startAdvertisingWithEIRData(advertisement, Buffer.alloc(0));
  const disconnected = () => {
    if (!connected) return;
    connected = false;
    tx.unsubscribe();
    pair.unsubscribe();
    options.onDisconnect?.();
  };
  bleno.on('accept', () => {
    connected = true;
    mtu = ATT_MTU_MIN;
    options.onConnect?.();
  });
  bleno.on('mtuChange', (agreed: number) => {
    mtu = agreed;
  });
  bleno.on('disconnect', () => {
    disconnected();
    // bleno advertises again by itself, but with the data from before the connection.
    advertise();
  });
  const services = [productService(bleno, options, { tx, pair })];
  const end = await new Promise<() => void>((resolve) => {
    bleno.on('stateChange', (state: string) => {
      // Without power nothing reports the connection's end.
      if (state !== 'poweredOn') return disconnected();
      bleno.setServices(services);
      return advertise();
    });
    bleno.once('advertisingStart', () => resolve(stop));
    const stop = startHost(hci, () => bindings.init());
  });

  return {
    get connected() {
      return connected;
    },
    get mtu() {
      return mtu;
    },
    notify: tx.notify,
    notifyPair: pair.notify,
    setAdvertisement(manufacturerData) {
      advertisement = advertisingData(type, manufacturerData);
      if (!connected) advertise();
    },
    disconnect: () => bleno.disconnect(),
    close() {
      bleno.removeAllListeners();
      bleno.stopAdvertising();
      end();
      if (typeof transport !== 'number') transport.close();
    },
  };
}

/** bleno is one instance per process; without these modules in the cache the next `require` builds another. */
function loadBleno(transport: HciTransport | number): Bleno {
  const root = dirname(require.resolve('@abandonware/bleno'));
  const load = () => {
    for (const file of ['index.js', 'lib/bleno.js', 'lib/hci-socket/bindings.js'])
      delete require.cache[join(root, file)];
    return require('@abandonware/bleno');
  };
  if (typeof transport !== 'number') return withHciTransport(transport, load);
  // bleno takes the number of its adapter from this variable only.
  process.env.BLENO_HCI_DEVICE_ID = String(transport);
  return load();
}

function productService(bleno: Bleno, options: PeripheralOptions, notifiers: { tx: Notifier; pair: Notifier }): object {
  const { Characteristic, PrimaryService } = bleno;
  const { tx, pair } = notifiers;
  return new PrimaryService({
    uuid: options.serviceUuid ?? PRODUCT_GATT.service,
    characteristics: [
      new Characteristic({ uuid: PRODUCT_GATT.rx, properties: ['write'], onWriteRequest: writeTo(options.onWrite) }),
      new Characteristic({ uuid: PRODUCT_GATT.tx, properties: ['notify'], ...tx.handlers }),
      new Characteristic({
        uuid: PRODUCT_GATT.info,
        properties: ['read'],
        onReadRequest(offset, done) {
          const value = Buffer.from(options.info());
          if (offset > value.length) done(INVALID_OFFSET);
          else done(SUCCESS, value.subarray(offset));
        },
      }),
      new Characteristic({
        uuid: PRODUCT_GATT.pair,
        properties: ['write', 'notify'],
        onWriteRequest: writeTo(options.onPairWrite),
        ...pair.handlers,
        onSubscribe(maxValueBytes, update) {
          pair.handlers.onSubscribe(maxValueBytes, update);
          options.onPairSubscribe?.();
        },
      }),
    ],
  });
}

/** Always answers at once: an answer after the client has gone blocks bleno's queue for good. */
function writeTo(receive: ((fragment: Uint8Array) => void) | undefined): BlenoCharacteristicOptions['onWriteRequest'] {
  return (data, _offset, _withoutResponse, done) => {
    let result = UNLIKELY_ERROR;
    try {
      receive?.(data);
      if (receive !== undefined) result = SUCCESS;
    } catch {
      // The product refuses the write: the error is its answer.
    }
    done(result);
  };
}

interface Notifier {
  handlers: Required<Pick<BlenoCharacteristicOptions, 'onSubscribe' | 'onUnsubscribe'>>;
  notify(fragment: Uint8Array): Promise<void>;
  unsubscribe(): void;
}

function notifier(mtu: () => number): Notifier {
  let update: Update | undefined;
  const unsubscribe = () => {
    update = undefined;
  };
  return {
    handlers: {
      onSubscribe(_maxValueBytes, subscribed) {
        update = subscribed;
      },
      onUnsubscribe: unsubscribe,
    },
    unsubscribe,
    async notify(fragment) {
      const bytesMax = mtu() - NOTIFICATION_HEADER_BYTES;
      if (update === undefined) throw new Error('Cannot notify: no client has subscribed');
      if (fragment.length > bytesMax)
        throw new RangeError(`Fragment of ${fragment.length} bytes exceeds MTU - 3, ${bytesMax}`);
      update(Buffer.from(fragment));
    },
  };
}

function advertisingData(type: number, data: Uint8Array): Buffer {
  const header = [...ADVERTISING_FLAGS, data.length + 1, type];
  const bytes = header.length + data.length;
  if (bytes > ADVERTISING_BYTES_MAX) {
    throw new RangeError(`Advertisement of ${bytes} bytes exceeds ${ADVERTISING_BYTES_MAX}: shorten its data`);
  }
  return Buffer.concat([Buffer.from(header), data]);
}
