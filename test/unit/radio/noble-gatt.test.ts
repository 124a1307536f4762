import { expect, it } from 'vitest';
import { connectPeripheral } from '../../../agent/product/noble/noble-connection.js';
import { createHandleCache, type ProductHandles } from '../../../agent/product/noble/handle-cache.js';
import { openProductService } from '../../../agent/product/noble/noble-gatt.js';
import { keepNoble, type NobleLife } from '../../../agent/product/noble/noble-lives.js';
import type { NoblePeripheral } from '../../../agent/product/noble/noble-library.js';
import { PRODUCT_GATT } from '../../../agent/product/noble/product-gatt.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { createVirtualRadio, type VirtualRadio } from '../../../scripts/sim/radio/virtual-radio.js';
import { echoingProduct, GATEWAY, PRODUCT, until } from './bench.js';

/** noble in its bare life, and what it has heard. */
function startNoble(air: VirtualRadio) {
  const heard = new Map<string, NoblePeripheral>();
  const seen: { life?: NobleLife } = {};
  const lives = keepNoble(
    {
      hci: { kind: 'transport', open: () => air.openTransport({ role: 'central', name: GATEWAY }) },
      clock: systemClock,
      logger: silentLogger,
      random: Math.random,
      resetsFirst: false,
      onLinks() {},
    },
    {
      repeatMs: 0,
      onLife(life) {
        seen.life = life;
        life.noble.startScanning([], true);
      },
      onDiscover: (_life, peripheral) => void heard.set(peripheral.id, peripheral),
    },
  );
  return { heard, seen, lives };
}

/** Those of the device name: there is no descriptor to subscribe by. */
const WRONG = { startHandle: 2, endHandle: 3, valueHandle: 3, properties: 0x10 };
const STALE: ProductHandles = {
  service: { uuid: PRODUCT_GATT.service, startHandle: 1, endHandle: 5 } as ProductHandles['service'],
  characteristics: [PRODUCT_GATT.rx, PRODUCT_GATT.tx].map((uuid) => ({ uuid, ...WRONG })),
};

/** A connection to an echoing product, and what it takes to open its service. */
async function connectEcho() {
  const air = createVirtualRadio({ random: Math.random });
  const { heard, seen, lives } = startNoble(air);
  const product = await echoingProduct(air);
  await until(() => heard.has(PRODUCT));
  const { life } = seen;
  const peripheral = heard.get(PRODUCT)!;
  const connection = await connectPeripheral(
    { life: life!, peripheral, clock: systemClock, onStuck: () => {}, onLeak: () => {} },
    { timeoutMs: 10_000, signals: [] },
  );
  let lookups = 0;
  const discoverServices = peripheral.discoverServices.bind(peripheral);
  peripheral.discoverServices = (uuids) => {
    lookups += 1;
    discoverServices(uuids);
  };
  const { noble } = life!;
  const handles = createHandleCache();
  const options = { noble, connection, clock: systemClock, signals: [], handles };
  return {
    peripheral,
    handles,
    lookups: () => lookups,
    open: () => openProductService({ ...options, channel: 'commands' }, 10_000),
    async close() {
      await lives.close();
      product.close();
    },
  };
}

it('looks a product up anew, once, when the handles it remembers lead nowhere', async () => {
  const { peripheral, handles, lookups, open, close } = await connectEcho();
  handles.remember(peripheral, STALE);
  const { rx, tx } = await open();
  const answer = new Promise<Buffer>((resolve) => tx.once('data', resolve));
  rx.write(Buffer.of(7), false);
  expect(await answer).toEqual(Buffer.of(7));
  expect(handles.recall(peripheral)?.service).toMatchObject({ startHandle: 10 });
  expect(lookups()).toBe(1);
  // What was found is good.
  await open();
  expect(lookups()).toBe(1);
  await close();
});

it('does not try the handles of another firmware', async () => {
  const { peripheral, handles, lookups, open, close } = await connectEcho();
  const updated = Buffer.from(peripheral.advertisement.manufacturerData ?? []);
  const before = Buffer.from(updated);
  // The version of the protocol.
  before[3] = 0x21;
  handles.remember({ id: PRODUCT, advertisement: { manufacturerData: before } }, STALE);
  const began = systemClock.monotonic();
  await open();
  // Handles that are tried in vain take 1.5 s.
  expect(systemClock.monotonic() - began).toBeLessThan(1_500);
  expect(lookups()).toBe(1);
  expect(handles.recall(peripheral)?.service).toMatchObject({ startHandle: 10 });
  await close();
});

it('remembers handles by product and firmware', () => {
  const heard = (id: string, firstBytes: string, state = '00') => ({
    id,
    advertisement: { manufacturerData: Buffer.from(`${firstBytes}${state}`, 'hex') },
  });
  const handles = createHandleCache();
  handles.remember(heard(PRODUCT, 'ffff5011'), STALE);
  // What it says of its state is no firmware.
  expect(handles.recall(heard(PRODUCT, 'ffff5011', '01'))).toBe(STALE);
  expect(handles.recall(heard('a4c138000009', 'ffff5011'))).toBeUndefined();
  expect(handles.recall(heard(PRODUCT, 'ffff5021'))).toBeUndefined();
  // What was updated does not go back to what was known of it.
  expect(handles.recall(heard(PRODUCT, 'ffff5011'))).toBeUndefined();
  handles.remember(heard(PRODUCT, 'ffff5021'), STALE);
  handles.forget(PRODUCT);
  expect(handles.recall(heard(PRODUCT, 'ffff5021'))).toBeUndefined();
});

it('can make noble forget strangers, and noble hears them again', async () => {
  const air = createVirtualRadio({ random: Math.random });
  const { heard, seen, lives } = startNoble(air);
  const stranger = 'a4c138000009';
  const products = await Promise.all([PRODUCT, stranger].map((address) => echoingProduct(air, { address })));
  await until(() => heard.size === 2);
  const [before, strangerBefore] = [heard.get(PRODUCT), heard.get(stranger)];
  seen.life?.forget((id) => id === PRODUCT);
  await until(() => heard.get(stranger) !== strangerBefore);
  expect(heard.get(PRODUCT)).toBe(before);
  await lives.close();
  for (const product of products) product.close();
});
