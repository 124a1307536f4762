import { expect, it } from 'vitest';
import { connectPeripheral } from '../../../agent/product/noble/noble-connection.js';
import { openProductService, type ProductHandles } from '../../../agent/product/noble/noble-gatt.js';
import { keepNoble, type NobleLife } from '../../../agent/product/noble/noble-lives.js';
import type { NoblePeripheral } from '../../../agent/product/noble/noble-library.js';
import { PRODUCT_GATT } from '../../../agent/product/noble/product-gatt.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { createVirtualRadio, type VirtualRadio } from '../../sim/radio/virtual-radio.js';
import { echoingProduct, GATEWAY, PRODUCT, until } from './bench.js';

/** noble in its bare life, and what it has heard. */
function startNoble(air: VirtualRadio) {
  const heard = new Map<string, NoblePeripheral>();
  const seen: { life?: NobleLife } = {};
  const lives = keepNoble({
    hci: { kind: 'transport', open: () => air.openTransport({ role: 'central', name: GATEWAY }) },
    clock: systemClock,
    logger: silentLogger,
    random: Math.random,
    onLife(life) {
      seen.life = life;
      life.noble.startScanning([], true);
    },
    onDiscover: (_life, peripheral) => void heard.set(peripheral.id, peripheral),
  });
  return { heard, seen, lives };
}

it('looks a product up anew when the handles it remembers lead nowhere', async () => {
  const air = createVirtualRadio({ random: Math.random });
  const { heard, seen, lives } = startNoble(air);
  const product = await echoingProduct(air);
  await until(() => heard.has(PRODUCT));
  const { life } = seen;
  const peripheral = heard.get(PRODUCT)!;
  const connection = await connectPeripheral(
    { life: life!, peripheral, clock: systemClock, onStuck: () => {} },
    { timeoutMs: 10_000, signals: [] },
  );
  // Those of the device name: there is no descriptor to subscribe by.
  const wrong = { startHandle: 2, endHandle: 3, valueHandle: 3, properties: 0x10 };
  const stale = {
    service: { uuid: PRODUCT_GATT.service, startHandle: 1, endHandle: 5 },
    characteristics: [
      { uuid: PRODUCT_GATT.rx, ...wrong },
      { uuid: PRODUCT_GATT.tx, ...wrong },
    ],
  };
  const handles = new Map<string, ProductHandles>([[PRODUCT, stale]]);
  const { noble } = life!;
  const options = {
    noble,
    connection,
    clock: systemClock,
    timeoutMs: 10_000,
    signals: [],
    handles,
    channel: 'commands',
  } as const;
  const { rx, tx } = await openProductService(options);
  const answer = new Promise<Buffer>((resolve) => tx.once('data', resolve));
  rx.write(Buffer.of(7), false);
  expect(await answer).toEqual(Buffer.of(7));
  expect(handles.get(PRODUCT)).not.toBe(stale);
  expect(handles.get(PRODUCT)?.service).toMatchObject({ startHandle: 10 });
  await lives.close();
  product.close();
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
