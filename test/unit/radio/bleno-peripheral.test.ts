import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualRadio, type VirtualRadio } from '../../../scripts/sim/radio/virtual-radio.js';
import { advertisement, echoingProduct, failure, GATEWAY, PRODUCT, until } from './bench.js';
import { attachCentral, type HciHost, connectParameters } from './hci-host.js';
import type { Peripheral } from '../../../scripts/sim/radio/product-air.js';
import { OPCODE } from '../../../scripts/sim/radio/hci-codec.js';

const ATT_CHANNEL = 4;

let air: VirtualRadio;
const products: Peripheral[] = [];

afterEach(() => {
  for (const product of products.splice(0)) product.close();
  air.close();
});

async function start(options: Parameters<typeof echoingProduct>[1] = {}): Promise<Peripheral> {
  air = createVirtualRadio({ random: () => 0.5 });
  const product = await echoingProduct(air, options);
  products.push(product);
  return product;
}

/** A scanning central, and the manufacturer data it has heard. */
function listen(): { central: HciHost; heard: () => string[] } {
  const central = attachCentral(air, GATEWAY);
  central.command(OPCODE.leSetScan, 1, 0);
  const reports = () => central.packets.filter((packet) => /^043e..0201/.test(packet));
  return { central, heard: () => reports().map((packet) => packet.slice(28 + 10, -2)) };
}

/** Sends ATT requests and returns the answers, as hex. */
async function attClient(central: HciHost): Promise<(request: string) => Promise<string>> {
  const before = central.handle();
  central.command(OPCODE.leConnect, ...connectParameters(PRODUCT));
  await until(() => central.handle() > before);
  return async (request) => {
    const answered = central.received().length;
    const bytes = Buffer.from(request, 'hex');
    const frame = Buffer.concat([Buffer.from([bytes.length, 0, ATT_CHANNEL, 0]), bytes]);
    const head = Buffer.from([2, central.handle(), 0, frame.length, 0]);
    central.controller.receive(Buffer.concat([head, frame]));
    await until(() => central.received().length > answered);
    const answer = central.packets.findLast((packet) => packet.startsWith('02')) ?? '';
    return answer.slice(18);
  };
}

describe('product peripheral on bleno', () => {
  it('advertises flags and manufacturer data, and new data at once', async () => {
    const product = await start();
    const { heard } = listen();
    await until(() => heard().includes(Buffer.from(advertisement()).toString('hex')));
    product.setAdvertisement(advertisement(9));
    await until(() => heard().at(-1) === Buffer.from(advertisement(9)).toString('hex'));
  });

  it('refuses an advertisement that does not fit', async () => {
    const product = await start();
    expect(() => product.setAdvertisement(new Uint8Array(27))).toThrow('32 bytes exceeds 31');
    product.setAdvertisement(new Uint8Array(26));
  });

  it('advertises what has changed during a connection when it is over', async () => {
    const events: string[] = [];
    const product = await start({
      onConnect: () => events.push('connect'),
      onDisconnect: () => events.push('disconnect'),
    });
    const { central, heard } = listen();
    await attClient(central);
    await until(() => product.connected);
    expect(events).toEqual(['connect']);
    const before = heard().length;
    product.setAdvertisement(advertisement(5));
    product.disconnect();
    await until(() => heard().length > before);
    expect(heard()[before]).toBe(Buffer.from(advertisement(5)).toString('hex'));
    expect([product.connected, events]).toEqual([false, ['connect', 'disconnect']]);
  });

  it('has INFO to read, PAIR to write only when the product pairs, and refuses what the product refuses', async () => {
    const pairing: string[] = [];
    const product = await start({
      onPairWrite(fragment) {
        if (fragment.length > 1) throw new Error('too long');
        pairing.push(Buffer.from(fragment).toString('hex'));
      },
    });
    const { central } = listen();
    const ask = await attClient(central);
    // Handles as bleno lays them out: 10 service, 12 RX, 14 TX, 15 its descriptor, 17 INFO, 19 PAIR, 20 its descriptor.
    expect(await ask('0a1100')).toBe('0b010203');
    expect(await ask('121300aa')).toBe('13');
    expect(await ask('121300aabb')).toBe('011213000e');
    expect(pairing).toEqual(['aa']);
    expect(await failure(product.notifyPair(Uint8Array.of(1)))).toMatchObject({
      message: expect.stringContaining('no client'),
    });
    expect(await ask('1214000100')).toBe('13');
    await product.notifyPair(Uint8Array.of(7));
    await until(() => central.received().some((data) => data.endsWith('\u001b\u0013\u0000\u0007')));
  });

  it('refuses PAIR when it does not pair', async () => {
    await start();
    const ask = await attClient(listen().central);
    expect(await ask('121300aa')).toBe('011213000e');
  });

  it('sends no notification that would be cut, and none without a subscriber', async () => {
    const product = await start();
    expect(await failure(product.notify(Uint8Array.of(1)))).toMatchObject({
      message: expect.stringContaining('no client'),
    });
    const ask = await attClient(listen().central);
    await ask('120f000100');
    expect(await failure(product.notify(new Uint8Array(21)))).toMatchObject({
      message: expect.stringContaining('MTU - 3, 20'),
    });
    expect(await ask('02b900')).toBe('03b900');
    expect(product.mtu).toBe(185);
    await product.notify(new Uint8Array(182));
  });

  it('comes back after its power was cut, with a client lost', async () => {
    const product = await start();
    const { central, heard } = listen();
    await attClient(central);
    await until(() => product.connected);
    air.setPower(PRODUCT, false);
    await until(() => !product.connected);
    const before = heard().length;
    air.setPower(PRODUCT, true);
    await until(() => heard().length > before);
    const ask = await attClient(central);
    expect(await ask('0a1100')).toBe('0b010203');
  });

  it('leaves nothing on the process', async () => {
    const events = ['SIGINT', 'exit'] as const;
    const before = events.map((event) => process.listenerCount(event));
    for (let count = 0; count < 12; count++) {
      await start();
    }
    expect(events.map((event) => process.listenerCount(event))).toEqual(before);
  });
});
