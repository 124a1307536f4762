import type { Clock } from '../../shared/clock.js';
import type { NobleConnection } from './noble-connection.js';
import type { Noble, NobleCharacteristic, NobleService, RawAttribute } from './noble-library.js';
import { PRODUCT_GATT } from './product-gatt.js';
import { RadioError } from './radio.js';
import { waitFor } from './wait-for.js';

/** How long remembered handles may take to prove right before the product's service is looked up anew. */
const REMEMBERED_TIMEOUT_MS = 1_500;

/** Where a product's service was found: what noble needs to find it there again. */
export interface ProductHandles {
  service: RawAttribute;
  characteristics: RawAttribute[];
}

/** The product's service on one connection, TX subscribed. */
export interface ProductService {
  rx: NobleCharacteristic;
  tx: NobleCharacteristic;
}

export interface OpenServiceOptions {
  noble: Noble;
  connection: NobleConnection;
  clock: Clock;
  timeoutMs: number;
  signals: readonly AbortSignal[];
  /** By product address. A lookup costs five exchanges with the product, so what it found is kept for the next connection. */
  handles: Map<string, ProductHandles>;
}

/**
 * Finds the product's service and subscribes to TX. Handles remembered from an earlier connection are tried first: the subscription
 * proves them, for it looks for TX's descriptor where they say.
 * Rejects with RadioError 3 (no such service, or too slow), 2 (connection lost), or a signal's reason.
 */
export async function openProductService(options: OpenServiceOptions): Promise<ProductService> {
  const { noble, connection, handles, clock } = options;
  const { id } = connection.peripheral;
  const deadline = clock.monotonic() + options.timeoutMs;
  const remembered = handles.get(id);
  if (remembered !== undefined) {
    const timeoutMs = Math.min(options.timeoutMs, REMEMBERED_TIMEOUT_MS);
    try {
      return await subscribe(restore(noble, connection, remembered), { ...options, timeoutMs });
    } catch (error) {
      handles.delete(id);
      if (connection.signal.aborted || options.signals.some((signal) => signal.aborted)) throw error;
    }
  }
  const found = await discover({ ...options, timeoutMs: deadline - clock.monotonic() });
  const service = await subscribe(found.service, { ...options, timeoutMs: deadline - clock.monotonic() });
  handles.set(id, found.handles);
  return service;
}

function restore(noble: Noble, connection: NobleConnection, handles: ProductHandles): ProductService {
  const { peripheral } = connection;
  // noble adds to the services of the connections before.
  peripheral.services = null;
  noble.addService(peripheral.id, handles.service);
  return pick(noble.addCharacteristics(peripheral.id, handles.service.uuid, handles.characteristics), peripheral.id);
}

async function discover(options: OpenServiceOptions): Promise<{ service: ProductService; handles: ProductHandles }> {
  const { connection } = options;
  const { peripheral } = connection;
  const { service, raw } = await step<{ service: NobleService; raw: RawAttribute }>(
    options,
    'find the service of',
    (done, fail) => {
      let all: RawAttribute[] = [];
      const onRaw = (_peripheral: unknown, services: RawAttribute[]) => {
        all = services;
      };
      const onFound = ([found]: NobleService[]) => {
        const handles = all.find(({ uuid }) => uuid === PRODUCT_GATT.service);
        if (found === undefined || handles === undefined)
          fail(new RadioError(3, `${peripheral.id} has no product service`));
        else done({ service: found, raw: handles });
      };
      peripheral.once('servicesDiscovered', onRaw);
      peripheral.once('servicesDiscover', onFound);
      peripheral.discoverServices([PRODUCT_GATT.service]);
      return () => {
        peripheral.removeListener('servicesDiscovered', onRaw);
        peripheral.removeListener('servicesDiscover', onFound);
      };
    },
  );
  return step(options, 'find the characteristics of', (done) => {
    let all: RawAttribute[] = [];
    service.once('characteristicsDiscovered', (characteristics: RawAttribute[]) => {
      all = characteristics;
    });
    service.once('characteristicsDiscover', (found: NobleCharacteristic[]) => {
      done({ service: pick(found, peripheral.id), handles: { service: raw, characteristics: all } });
    });
    service.discoverCharacteristics([]);
    // A service object lives for one discovery only.
    return () => service.removeAllListeners();
  });
}

function pick(characteristics: NobleCharacteristic[], address: string): ProductService {
  const rx = characteristics.find(({ uuid }) => uuid === PRODUCT_GATT.rx);
  const tx = characteristics.find(({ uuid }) => uuid === PRODUCT_GATT.tx);
  if (rx === undefined || tx === undefined)
    throw new RadioError(3, `The product service of ${address} has no RX or no TX`);
  return { rx, tx };
}

async function subscribe(service: ProductService, options: OpenServiceOptions): Promise<ProductService> {
  const { tx } = service;
  await step<void>(options, 'subscribe to', (done) => {
    const onNotify = () => done();
    tx.once('notify', onNotify);
    tx.subscribe();
    return () => tx.removeListener('notify', onNotify);
  });
  return service;
}

function step<T>(
  options: OpenServiceOptions,
  what: string,
  listen: (done: (value: T) => void, fail: (reason: unknown) => void) => () => void,
): Promise<T> {
  const { clock, timeoutMs, connection, signals } = options;
  return waitFor<T>({
    clock,
    timeoutMs: Math.max(0, timeoutMs),
    timedOut: () => new RadioError(3, `Could not ${what} ${connection.peripheral.id} in time`),
    signals: [connection.signal, ...signals],
    listen,
  });
}
