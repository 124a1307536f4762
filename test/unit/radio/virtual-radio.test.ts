import { describe, expect, it } from 'vitest';
import { OPCODE, STATUS } from '../../../scripts/sim/radio/hci-codec.js';
import type { PathSettings } from '../../../scripts/sim/radio/paths.js';
import { createVirtualRadio } from '../../../scripts/sim/radio/virtual-radio.js';
import { FakeClock } from '../../world/fake-clock.js';
import { attachCentral, attachProduct, connectParameters } from './hci-host.js';

const PRODUCT = 'a4c138000001';
const GATEWAY = 'gateway-1';

/** Numbers that repeat the given ones. */
function cycling(...numbers: number[]): () => number {
  let at = 0;
  return () => numbers[at++ % numbers.length] ?? 0;
}

function createRadio(random = () => 0.5, defaults: Partial<PathSettings> = {}) {
  const clock = new FakeClock();
  return { clock, radio: createVirtualRadio({ clock, random, defaults }) };
}

async function connectedPair(random?: () => number) {
  const { clock, radio } = createRadio(random);
  const central = attachCentral(radio, GATEWAY);
  const product = attachProduct(radio, PRODUCT);
  central.command(OPCODE.leConnect, ...connectParameters(PRODUCT));
  await clock.advance(200);
  return { clock, radio, central, product };
}

function signal(rssi: number): string {
  return (rssi & 0xff).toString(16);
}

function reports(packets: string[]): string[] {
  return packets.filter((packet) => packet.startsWith('043e') && packet.slice(6, 8) === '02');
}

describe('virtual radio: hearing', () => {
  it('reports advertisement and scan response with the signal of the pair', async () => {
    const { clock, radio } = createRadio();
    radio.setProduct(PRODUCT, { rssi: -70 });
    radio.setPath({ product: PRODUCT, central: 'gateway-2' }, { rssi: -90 });
    const [near, far] = [attachCentral(radio, GATEWAY), attachCentral(radio, 'gateway-2')];
    for (const central of [near, far]) {
      central.command(OPCODE.leSetScanParameters, 1, 0x12, 0, 0x12, 0, 0, 0);
      central.command(OPCODE.leSetScan, 1, 0);
    }
    attachProduct(radio, PRODUCT, [0xaa, 0xbb]);
    await clock.advance(50);
    expect(reports(near.packets)).toEqual([
      `043e0e0201000001000038c1a402aabb${signal(-70)}`,
      `043e0c0201040001000038c1a400${signal(-70)}`,
    ]);
    expect(reports(far.packets)[0]?.slice(-2)).toBe(signal(-90));
  });

  it('repeats what it reports only when the host does not filter duplicates', async () => {
    const { clock, radio } = createRadio();
    const [filtering, hearing] = [attachCentral(radio, GATEWAY), attachCentral(radio, 'gateway-2')];
    filtering.command(OPCODE.leSetScan, 1, 1);
    hearing.command(OPCODE.leSetScan, 1, 0);
    attachProduct(radio, PRODUCT);
    // 100 ms and half of the jitter of 10 ms between two.
    await clock.advance(1_000);
    expect([reports(filtering.packets).length, reports(hearing.packets).length]).toEqual([1, 10]);
  });

  it('hears nothing out of range, and loses what the path loses', async () => {
    const { clock, radio } = createRadio(cycling(0.1, 0.5, 0.9, 0.5));
    const [away, lossy] = [attachCentral(radio, GATEWAY), attachCentral(radio, 'gateway-2')];
    for (const central of [away, lossy]) central.command(OPCODE.leSetScan, 1, 0);
    radio.setPath({ product: PRODUCT, central: GATEWAY }, { inRange: false });
    radio.setPath({ product: PRODUCT, central: 'gateway-2' }, { loss: 0.3 });
    attachProduct(radio, PRODUCT);
    await clock.advance(1_000);
    expect(reports(away.packets)).toEqual([]);
    expect(reports(lossy.packets)).toHaveLength(5);
  });
});

describe('virtual radio: connections', () => {
  it('carries data in both directions under handles of their own, from 1', async () => {
    const { central, product } = await connectedPair();
    expect([central.handle(), product.handle()]).toEqual([1, 1]);
    central.data(1, 'to the product');
    product.data(1, 'to the gateway');
    expect(product.received()).toEqual(['to the product']);
    expect(central.received()).toEqual(['to the gateway']);
    // Flag 2 for a first fragment; and the sender is told that its packet is out.
    expect(central.packets.at(-1)?.slice(0, 6)).toBe('020120');
    expect(product.packets.at(-1)).toBe('0413050101000100');
  });

  it('does not advertise while connected, and takes one connect at a time', async () => {
    const { clock, radio, central } = await connectedPair();
    const other = attachCentral(radio, 'gateway-2');
    other.command(OPCODE.leSetScan, 1, 0);
    await clock.advance(1_000);
    expect(reports(other.packets)).toEqual([]);
    other.command(OPCODE.leConnect, ...connectParameters('a4c1380000ff'));
    other.command(OPCODE.leConnect, ...connectParameters(PRODUCT));
    expect(other.packets.at(-1)).toBe(`040f040${STATUS.disallowed.toString(16)}010d20`);
    central.command(OPCODE.leConnect, ...connectParameters(PRODUCT));
    expect(central.packets.at(-1)).toBe(`040f040${STATUS.connectionExists.toString(16)}010d20`);
  });

  it('answers a cancel with the end of the connect', async () => {
    const { radio } = createRadio();
    const central = attachCentral(radio, GATEWAY);
    central.command(OPCODE.leConnect, ...connectParameters(PRODUCT));
    central.command(OPCODE.leCancelConnect);
    expect(central.packets.slice(-2).map((packet) => packet.slice(0, 10))).toEqual(['040e04010e', '043e130102']);
    central.command(OPCODE.leCancelConnect);
    expect(central.packets.at(-1)).toBe(`040e04010e200${STATUS.disallowed.toString(16)}`);
  });

  it('sends again what is lost, in order, and drops nothing', async () => {
    const { clock, radio, central, product } = await connectedPair(cycling(0.2, 0.4, 0.8));
    radio.setPath({ product: PRODUCT, central: GATEWAY }, { loss: 0.5 });
    const texts = Array.from({ length: 10 }, (_, index) => `packet ${index}`);
    for (const text of texts) central.data(1, text);
    expect(product.received().length).toBeLessThan(10);
    await clock.advance(5_000);
    expect(product.received()).toEqual(texts);
    expect(central.ended()).toEqual([]);
  });

  it('takes the latency of the path for each packet', async () => {
    const { clock, radio, central, product } = await connectedPair();
    radio.setProduct(PRODUCT, { latencyMs: 30 });
    central.data(1, 'one');
    central.data(1, 'two');
    await clock.advance(29);
    expect(product.received()).toEqual([]);
    await clock.advance(31);
    expect(product.received()).toEqual(['one', 'two']);
  });

  it('ends a link after what was sent before', async () => {
    const { clock, radio, central, product } = await connectedPair();
    radio.setProduct(PRODUCT, { latencyMs: 10 });
    product.data(1, 'last words');
    product.command(OPCODE.disconnect, 1, 0, STATUS.remoteEnded);
    await clock.advance(50);
    expect(central.received()).toEqual(['last words']);
    expect([central.ended(), product.ended()]).toEqual([[STATUS.remoteEnded], [STATUS.localEnded]]);
  });

  it('survives a gap shorter than the supervision timeout, with what was sent in it', async () => {
    const { clock, radio, central, product } = await connectedPair();
    radio.setProduct(PRODUCT, { inRange: false });
    central.data(1, 'in the gap');
    await clock.advance(400);
    radio.setProduct(PRODUCT, { inRange: true });
    await clock.advance(1_000);
    expect(product.received()).toEqual(['in the gap']);
    expect(central.ended()).toEqual([]);
  });

  it.each<[string, (parts: Awaited<ReturnType<typeof connectedPair>>) => void]>([
    ['out of range', ({ radio }) => radio.setProduct(PRODUCT, { inRange: false })],
    ['loss of everything', ({ radio }) => radio.setPath({ product: PRODUCT, central: GATEWAY }, { loss: 1 })],
    ['power of the product', ({ radio }) => radio.setPower(PRODUCT, false)],
    ['death of the product', ({ radio, product }) => radio.detach(product.controller)],
    ['reset of the product', ({ product }) => product.command(OPCODE.reset)],
  ])('ends a link by the supervision timeout: %s', async (_what, happen) => {
    const parts = await connectedPair();
    happen(parts);
    await parts.clock.advance(419);
    expect(parts.central.ended()).toEqual([]);
    await parts.clock.advance(1);
    expect(parts.central.ended()).toEqual([STATUS.connectionTimeout]);
    expect(parts.radio.links()).toEqual([]);
  });

  it('tells a host nothing of the links that end with its own power', async () => {
    const { clock, radio, central, product } = await connectedPair();
    const before = central.packets.length;
    radio.setPower(GATEWAY, false);
    central.command(OPCODE.readAddress);
    await clock.advance(1_000);
    expect(central.packets).toHaveLength(before);
    expect(product.ended()).toEqual([STATUS.connectionTimeout]);
    radio.setPower(GATEWAY, true);
    central.command(OPCODE.readAddress);
    expect(central.packets).toHaveLength(before + 1);
  });
});

describe('virtual radio: who is on the air', () => {
  it('gives a name that joins again to the newcomer, and keeps its power', async () => {
    const { clock, radio, central } = await connectedPair();
    radio.setPower(GATEWAY, false);
    const newcomer = attachCentral(radio, GATEWAY);
    expect(central.packets.at(-1)).toBe('detached');
    expect([newcomer.controller.up, newcomer.controller.address]).toEqual([false, central.controller.address]);
    await clock.advance(500);
    expect(radio.attached().map(({ name }) => name)).toEqual([PRODUCT, GATEWAY]);
  });

  it('refuses a product that is not named by its device_id', () => {
    expect(() => attachProduct(createRadio().radio, 'barrier')).toThrow('device_id');
  });
});
