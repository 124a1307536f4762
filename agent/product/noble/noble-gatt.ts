import type { Clock } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { HandleCache, ProductHandles } from './handle-cache.js';
import type { NobleConnection } from './noble-connection.js';
import type { Noble, NobleCharacteristic, NobleService, RawAttribute } from './noble-library.js';
import { createNotificationFeed, type NotificationFeed } from '../notification-feed.js';
import { PRODUCT_GATT } from './product-gatt.js';
import { type LinkChannel, RadioError } from '../radio.js';
import { waitFor } from '../../waiting/wait-for.js';

/** How long remembered handles may take to prove right; after that the product's service is looked up again. */
const REMEMBERED_TIMEOUT_MS = 1_500;

/** The characteristics of one channel on one connection, subscribed to TX. For the pairing channel both are PAIR. */
export interface ProductService {
  rx: NobleCharacteristic;
  tx: NobleCharacteristic;
  /** All notifications of TX since the subscription, because a product may speak first. */
  feed: NotificationFeed;
}

type Characteristics = Pick<ProductService, 'rx' | 'tx'>;

export interface OpenServiceOptions {
  noble: Noble;
  connection: NobleConnection;
  clock: Clock;
  signals: readonly AbortSignal[];
  channel: LinkChannel;
  /** Keeps the handles that are found for the next connection. */
  handles: HandleCache;
}

/**
 * Finds the product's service and subscribes to TX. Handles remembered from an earlier connection are tried first; the subscription
 * proves them before anything is written to RX, because it looks for TX's descriptor at these handles. Handles that lead nowhere are
 * forgotten, and the service is looked up once. PAIR comes and goes, so it is always looked up.
 * Rejects with RadioError 3 (no such service, or too slow), 2 (connection lost), or a signal's reason.
 */
export async function openProductService(options: OpenServiceOptions, timeoutMs: number): Promise<ProductService> {
  const { noble, connection, handles, clock } = options;
  const { peripheral } = connection;
  const deadline = clock.monotonic() + timeoutMs;
  const remembered = options.channel === 'pairing' ? undefined : handles.recall(peripheral);
  if (remembered !== undefined) {
    const withinMs = Math.min(timeoutMs, REMEMBERED_TIMEOUT_MS);
    try {
      return await subscribe(restore(noble, connection, remembered), options, withinMs);
    } catch (error) {
      handles.forget(peripheral.id);
      if (connection.signal.aborted || options.signals.some((signal) => signal.aborted)) throw error;
    }
  }
  const found = await discover(options, deadline - clock.monotonic());
  const service = await subscribe(found.service, options, deadline - clock.monotonic());
  handles.remember(peripheral, found.handles);
  return service;
}

function restore(noble: Noble, connection: NobleConnection, handles: ProductHandles): Characteristics {
  const { peripheral } = connection;
  // Without this noble adds to the services of earlier connections.
  peripheral.services = null;
  noble.addService(peripheral.id, handles.service);
  const characteristics = noble.addCharacteristics(peripheral.id, handles.service.uuid, handles.characteristics);
  return pick(characteristics, { address: peripheral.id, channel: 'commands' });
}

async function discover(
  options: OpenServiceOptions,
  timeoutMs: number,
): Promise<{ service: Characteristics; handles: ProductHandles }> {
  const { connection, channel } = options;
  const { peripheral } = connection;
  const { service, raw } = await step<{ service: NobleService; raw: RawAttribute }>(
    { options, timeoutMs },
    'find the service of',
    (done, fail) => {
      let all: RawAttribute[] = [];
      const onRaw = (_peripheral: unknown, services: RawAttribute[]) => {
        all = services;
      };
      const onFound = ([found]: NobleService[]) => {
        const handles = all.find(({ uuid }) => uuid === PRODUCT_GATT.service);
        if (found === undefined || handles === undefined)
          fail(new RadioError(GATEWAY_ERROR.BLUETOOTH, `${peripheral.id} has no product service`));
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
  return step({ options, timeoutMs }, 'find the characteristics of', (done, fail) => {
    let all: RawAttribute[] = [];
    service.once('characteristicsDiscovered', (characteristics: RawAttribute[]) => {
      all = characteristics;
    });
    service.once('characteristicsDiscover', (found: NobleCharacteristic[]) => {
      try {
        const picked = pick(found, { address: peripheral.id, channel });
        done({ service: picked, handles: { service: raw, characteristics: all } });
      } catch (error) {
        fail(error);
      }
    });
    service.discoverCharacteristics([]);
    // A service object lives for one discovery only.
    return () => service.removeAllListeners();
  });
}

const CHANNELS = {
  commands: { rx: PRODUCT_GATT.rx, tx: PRODUCT_GATT.tx, missing: 'RX or no TX' },
  pairing: { rx: PRODUCT_GATT.pair, tx: PRODUCT_GATT.pair, missing: 'PAIR: its pairing window is not open' },
} as const;

function pick(
  characteristics: NobleCharacteristic[],
  { address, channel }: { address: string; channel: LinkChannel },
): Characteristics {
  const uuids = CHANNELS[channel];
  const rx = characteristics.find(({ uuid }) => uuid === uuids.rx);
  const tx = characteristics.find(({ uuid }) => uuid === uuids.tx);
  if (rx === undefined || tx === undefined)
    throw new RadioError(GATEWAY_ERROR.BLUETOOTH, `The product service of ${address} has no ${uuids.missing}`);
  return { rx, tx };
}

async function subscribe(
  characteristics: Characteristics,
  options: OpenServiceOptions,
  timeoutMs: number,
): Promise<ProductService> {
  const { tx } = characteristics;
  const feed = createNotificationFeed();
  tx.on('data', feed.push);
  await step<void>({ options, timeoutMs }, 'subscribe to', (done) => {
    const onNotify = () => done();
    tx.once('notify', onNotify);
    tx.subscribe();
    return () => tx.removeListener('notify', onNotify);
  });
  return { ...characteristics, feed };
}

function step<T>(
  { options, timeoutMs }: { options: OpenServiceOptions; timeoutMs: number },
  what: string,
  listen: (done: (value: T) => void, fail: (reason: unknown) => void) => () => void,
): Promise<T> {
  const { clock, connection, signals } = options;
  return waitFor<T>({
    clock,
    timeoutMs: Math.max(0, timeoutMs),
    timedOut: () => new RadioError(GATEWAY_ERROR.BLUETOOTH, `Could not ${what} ${connection.peripheral.id} in time`),
    signals: [connection.signal, ...signals],
    listen,
  });
}
