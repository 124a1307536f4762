import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { HciTransport } from '../../../agent/product/hci/hci-transport.js';
import type { Radio } from '../../../agent/product/radio.js';
import { type Hub, serveHub } from '../../../scripts/sim/radio/hub.js';
import type { Peripheral } from '../../../scripts/sim/radio/product-air.js';
import { createVirtualRadio, type VirtualRadio } from '../../../scripts/sim/radio/virtual-radio.js';
import { FakeClock } from '../../world/fake-clock.js';
import { echoingProduct, failure, GATEWAY, keepingLogger, nobleBench, PRODUCT, until } from './bench.js';
import { nobleRadio } from '../../world/test-radios.js';

const RESET = '01030c00';
const SCAN_PARAMETERS = '010b20';
const SCAN_ON = '010c20020100';
const SCAN_OFF = '010c20020001';
const CONNECT = '010d20';
const CANCEL = '010e2000';
const DISCONNECT = '010604';

const toEnd: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const end of toEnd.splice(0).reverse()) await end();
});

function bench(options: Parameters<typeof nobleBench>[0] = {}): ReturnType<typeof nobleBench> {
  const made = nobleBench(options);
  toEnd.push(() => made.air.close());
  toEnd.push(() => made.radio.close());
  return made;
}

async function add(air: VirtualRadio, options: Parameters<typeof echoingProduct>[1] = {}): Promise<Peripheral> {
  const product = await echoingProduct(air, options);
  toEnd.push(() => product.close());
  return product;
}

function on(radio: Radio): Promise<void> {
  return until(() => radio.state === 'on');
}

async function exchange(radio: Radio, address = PRODUCT): Promise<void> {
  const link = await radio.connect(address, { timeoutMs: 10_000 });
  const answered = new Promise((resolve) => link.onNotification(resolve));
  await link.write(Uint8Array.of(1));
  await answered;
  await link.close();
}

/** How many packets begin so. */
function countOf(start: string, sent: string[]): number {
  return sent.filter((packet) => packet.startsWith(start)).length;
}

function scanCommands(sent: string[]): string[] {
  return sent.filter((packet) => packet.startsWith('010c20'));
}

describe('noble radio: scanning', () => {
  it('stops before it connects and goes on while the link is open', async () => {
    const { air, radio, traffic } = bench();
    await on(radio);
    await add(air);
    await radio.connect(PRODUCT, { timeoutMs: 10_000 });
    const at = traffic.sent.findIndex((packet) => packet.startsWith(CONNECT));
    expect(scanCommands(traffic.sent.slice(0, at)).at(-1)).toBe(SCAN_OFF);
    await until(() => scanCommands(traffic.sent).at(-1) === SCAN_ON);
    const heard = new Promise((resolve) => radio.onAdvertisement(resolve));
    await add(air, { address: 'a4c138000002' });
    expect(await heard).toMatchObject({ address: 'a4c138000002' });
    expect(air.links()).toHaveLength(1);
  });

  it('listens all the time, also while it connects, and asks for connection events that make no one wait', async () => {
    const { air, radio, traffic } = bench();
    await on(radio);
    await add(air);
    await radio.connect(PRODUCT, { timeoutMs: 10_000 });
    /** Two numbers of the first such command; one unit of time is 0.625 or 1.25 ms. */
    const numbers = (command: string, at: number) => {
      const packet = Buffer.from(traffic.sent.find((each) => each.startsWith(command)) ?? '', 'hex');
      return [packet.readUInt16LE(at), packet.readUInt16LE(at + 2)];
    };
    const [scanInterval, scanWindow] = numbers(SCAN_PARAMETERS, 5);
    expect(scanWindow).toBe(scanInterval);
    const [connectInterval, connectWindow] = numbers(CONNECT, 4);
    expect(connectWindow).toBe(connectInterval);
    // From 7.5 to 22.5 ms; none may be left out, and a lost link is known after 420 ms.
    expect([numbers(CONNECT, 17), numbers(CONNECT, 21)]).toEqual([
      [6, 18],
      [0, 42],
    ]);
  });

  it('tells an unchanged advertisement now and then only', async () => {
    const clock = new FakeClock();
    const { air, radio } = bench({ clock, limits: { repeatMs: 1_000 } });
    await on(radio);
    let notified = 0;
    radio.onAdvertisement(() => (notified += 1));
    await add(air);
    await until(() => notified === 1);
    let heardMeanwhile = 0;
    radio.onAdvertisement(() => (heardMeanwhile += 1));
    await add(air, { address: 'a4c138000002' });
    await until(() => heardMeanwhile === 1);
    expect(notified).toBe(2);
    await clock.advance(1_000);
    await until(() => notified === 4);
  });

  it('takes only products for products', async () => {
    const { air, radio } = bench();
    await on(radio);
    const heard: string[] = [];
    radio.onAdvertisement(({ address }) => heard.push(address));
    await add(air, { address: 'a4c138000003', manufacturerData: new Uint8Array(25) });
    await add(air, { address: 'a4c138000004', manufacturerData: Uint8Array.of(0xff, 0xff, 0x50) });
    await add(air);
    await until(() => heard.length > 0);
    expect(heard).toEqual([PRODUCT]);
  });
});

describe('noble radio: the ladder', () => {
  it('scans anew, resets and asks for a restart while what it heard before stays silent', async () => {
    const clock = new FakeClock();
    const restarts: string[] = [];
    const onRestartNeeded = (reason: string) => void restarts.push(reason);
    const { air, radio, traffic, complaints } = bench({ clock, limits: { silenceMs: 1_000 }, onRestartNeeded });
    await on(radio);
    const product = await add(air);
    await exchange(radio);
    product.close();
    const states: string[] = [];
    radio.onStateChange((state) => states.push(state));
    const scans = scanCommands(traffic.sent).length;
    await clock.advance(1_500);
    expect(complaints.at(-1)).toContain('"rescan","reason":"no product was heard for 1000 ms"');
    expect(scanCommands(traffic.sent).length).toBeGreaterThan(scans);
    expect(traffic.sent).not.toContain(RESET);
    await clock.advance(1_500);
    expect(complaints.join('\n')).toContain('"step":"reset"');
    await until(() => states.length === 2);
    expect([states, traffic.sent.filter((packet) => packet === RESET)]).toEqual([['unavailable', 'on'], [RESET]]);
    await clock.advance(1_500);
    expect(restarts).toEqual(['no product was heard for 1000 ms']);
  });

  it('scans anew only where there was never anything to hear', async () => {
    const clock = new FakeClock();
    const { radio, traffic, complaints } = bench({ clock, limits: { silenceMs: 1_000 } });
    await on(radio);
    await clock.advance(100_000);
    // Less and less often.
    expect(complaints.map((line) => /"rescan".* for (\d+) ms/.exec(line)?.[1])).toEqual(
      [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000].map(String),
    );
    expect(traffic.sent).not.toContain(RESET);
  });

  it('takes the silence of products for a fault, whoever else is heard, but not where it is connected to one', async () => {
    const clock = new FakeClock();
    const { air, radio, complaints } = bench({ clock, limits: { silenceMs: 1_000 } });
    await on(radio);
    await add(air);
    const link = await radio.connect(PRODUCT, { timeoutMs: 10_000 });
    await clock.advance(10_000);
    expect(complaints).toEqual([]);
    air.setProduct(PRODUCT, { inRange: false });
    await link.closed;
    await add(air, { address: 'a4c138000003', manufacturerData: new Uint8Array(25) });
    await clock.advance(1_500);
    expect(complaints.at(-1)).toContain('"rescan","reason":"no product was heard for 1000 ms"');
  });

  it('takes it for a fault also while it tries to connect all the time', async () => {
    const clock = new FakeClock();
    const { air, radio, traffic, complaints } = bench({ clock, limits: { silenceMs: 1_000 } });
    await on(radio);
    await add(air);
    await exchange(radio);
    air.setProduct(PRODUCT, { inRange: false });
    const connects = countOf(CONNECT, traffic.sent);
    const connecting = failure(radio.connect(PRODUCT, { timeoutMs: 60_000 }));
    await until(() => countOf(CONNECT, traffic.sent) > connects);
    await clock.advance(1_500);
    expect(complaints.at(-1)).toContain('"rescan","reason":"no product was heard for 1000 ms"');
    await clock.advance(1_500);
    expect(complaints.join('\n')).toContain('"step":"reset"');
    expect(await connecting).toMatchObject({ type: 3 });
  });

  it('begins where an earlier process ended: products stand there', async () => {
    const clock = new FakeClock();
    const steps: string[] = [];
    const { radio } = bench({
      clock,
      limits: { silenceMs: 1_000 },
      expectsProducts: true,
      onRecovery: (step) => void steps.push(step),
    });
    await on(radio);
    await clock.advance(3_500);
    expect(steps).toEqual(['rescan', 'reset']);
  });

  it('resets an adapter first that an earlier process may have left connections to', async () => {
    const { radio, traffic, complaints } = bench({ resetsFirst: true });
    const states: string[] = [];
    radio.onStateChange((state) => states.push(state));
    await on(radio);
    expect([traffic.sent.filter((packet) => packet === RESET), states, complaints]).toEqual([[RESET], ['on'], []]);
  });

  it('resets an adapter that does not confirm a cancel, and works on', async () => {
    const clock = new FakeClock();
    const { air, radio, traffic, complaints } = bench({ clock });
    await on(radio);
    await add(air);
    await exchange(radio);
    air.setProduct(PRODUCT, { inRange: false });
    const connects = countOf(CONNECT, traffic.sent);
    const connecting = failure(radio.connect(PRODUCT, { timeoutMs: 500 }));
    await until(() => countOf(CONNECT, traffic.sent) > connects);
    traffic.swallow = (packet) => packet === CANCEL;
    await clock.advance(500);
    expect(await connecting).toMatchObject({ type: 4 });
    await clock.advance(2_000);
    expect(complaints.join('\n')).toMatch(/"reset".*could not be cancelled/);
    traffic.swallow = undefined;
    air.setProduct(PRODUCT, { inRange: true });
    await until(() => traffic.sent.includes(RESET));
    await on(radio);
    await exchange(radio);
  });
});

describe('noble radio: the slots of the adapter', () => {
  function counted(options: Parameters<typeof bench>[0] = {}) {
    const steps: string[] = [];
    const counts: number[] = [];
    const made = bench({
      onRecovery: (step, reason) => void steps.push(`${step}: ${reason}`),
      onLinks: (count) => void counts.push(count),
      ...options,
    });
    return { ...made, steps, counts };
  }

  it('are counted, and given back', async () => {
    const { air, radio, counts, steps } = counted();
    await on(radio);
    await add(air);
    await exchange(radio);
    expect([counts, steps]).toEqual([[1, 0], []]);
  });

  it('are waited for when all are taken', async () => {
    const { air, radio, steps } = counted();
    await on(radio);
    const addresses = Array.from({ length: 10 }, (_, index) => `a4c1380000${(index + 16).toString(16)}`);
    for (const address of addresses) await add(air, { address });
    const links: string[] = [];
    const wanted: (readonly string[])[] = [];
    radio.onSlotWanted((usedBy) => void wanted.push(usedBy));
    // The virtual adapter has eight of them.
    const all = addresses.map(async (address) => {
      const link = await radio.connect(address, { timeoutMs: 10_000 });
      links.push(address);
      return link;
    });
    await until(() => links.length === 8 && wanted.length === 1);
    expect(wanted).toEqual([addresses.slice(0, 8)]);
    for (const link of await Promise.all(all.slice(0, 2))) await link.close();
    await Promise.all(all);
    expect([links.length, steps]).toEqual([10, []]);
  });

  it('are taken back from a connection that does not end', async () => {
    const clock = new FakeClock();
    const { air, radio, counts, steps } = counted({ clock });
    await on(radio);
    await add(air);
    const link = await radio.connect(PRODUCT, { timeoutMs: 10_000 });
    air.forgetEnds(GATEWAY, 1);
    const closed = link.close();
    await clock.advance(2_000);
    await closed;
    await until(() => air.links().length === 0);
    await until(() => counts.at(-1) === 0);
    expect(steps).toEqual([`free: nobody uses the connection to ${PRODUCT}, and it did not end`]);
    await exchange(radio);
  });

  it('are taken back by a reset where the adapter does not obey', async () => {
    const clock = new FakeClock();
    const { air, radio, steps } = counted({ clock });
    await on(radio);
    await add(air);
    const link = await radio.connect(PRODUCT, { timeoutMs: 10_000 });
    air.forgetEnds(GATEWAY, Number.POSITIVE_INFINITY);
    const closed = link.close();
    await clock.advance(2_000);
    await closed;
    expect(air.links()).toHaveLength(1);
    await clock.advance(5_000);
    await until(() => steps.length === 2 && air.links().length === 0);
    expect(steps[1]).toBe(`reset: the connection to ${PRODUCT} cannot be ended`);
    await on(radio);
    air.forgetEnds(GATEWAY, 0);
    await exchange(radio);
  });

  it('are taken back from a connection that nobody ever asked for', async () => {
    const clock = new FakeClock();
    const { air, radio, traffic, steps } = counted({ clock });
    await on(radio);
    await add(air);
    await exchange(radio);
    air.setProduct(PRODUCT, { inRange: false });
    // The adapter takes the cancel for done, and connects nevertheless.
    traffic.swallow = (packet) => packet === CANCEL;
    const connecting = failure(radio.connect(PRODUCT, { timeoutMs: 300 }));
    await until(() => countOf(CONNECT, traffic.sent) > 1);
    await clock.advance(300);
    expect(await connecting).toMatchObject({ type: 4 });
    await clock.advance(2_000);
    air.setProduct(PRODUCT, { inRange: true });
    traffic.swallow = undefined;
    await until(() => air.links().length === 0 && radio.state === 'on');
    expect(steps.length).toBeGreaterThan(0);
    await exchange(radio);
  });
});

describe('noble radio: connecting', () => {
  it('ends a connection that was made while it was cancelled', async () => {
    // However long a busy machine takes to make it, the adapter has confirmed in time.
    const clock = new FakeClock();
    const { air, radio, traffic } = bench({ clock });
    await on(radio);
    await add(air);
    await exchange(radio);
    air.setProduct(PRODUCT, { inRange: false });
    traffic.swallow = (packet) => {
      if (packet === CANCEL) air.setProduct(PRODUCT, { inRange: true });
      return packet === CANCEL;
    };
    const disconnects = countOf(DISCONNECT, traffic.sent);
    const connecting = failure(radio.connect(PRODUCT, { timeoutMs: 300 }));
    await clock.advance(300);
    expect(await connecting).toMatchObject({ type: 4 });
    await until(() => countOf(DISCONNECT, traffic.sent) > disconnects);
    traffic.swallow = undefined;
    await exchange(radio);
    await until(() => air.links().length === 0);
  });

  it('asks a product it knows for less, unless that brought no answer', async () => {
    // Handles it remembers have their time to prove right, which a busy machine may exceed.
    const { air, radio, traffic } = bench({ clock: new FakeClock() });
    await on(radio);
    await add(air);
    const packetsOf = async (work: () => Promise<void>) => {
      const before = traffic.sent.length;
      await work();
      return traffic.sent.slice(before).filter((packet) => packet.startsWith('02')).length;
    };
    const connectOnly = async () => {
      await (await radio.connect(PRODUCT, { timeoutMs: 10_000 })).close();
    };
    const first = await packetsOf(() => exchange(radio));
    // MTU, descriptor, subscription, and the write.
    expect(await packetsOf(() => exchange(radio))).toBe(4);
    expect(first).toBeGreaterThan(6);
    expect(await packetsOf(connectOnly)).toBe(3);
    expect(await packetsOf(connectOnly)).toBe(first - 1);
  });

  it('refuses a device without the product service', async () => {
    const { air, radio } = bench();
    await on(radio);
    await add(air, { serviceUuid: '744794ff3e4c44669cc50faa0049d7bd' });
    expect(await failure(radio.connect(PRODUCT, { timeoutMs: 10_000 }))).toMatchObject({
      type: 3,
      message: expect.stringContaining('no product service'),
    });
    await until(() => air.links().length === 0);
  });
});

describe('noble radio: its adapter', () => {
  it('says once that there is none, goes on looking, and is there when it comes', async () => {
    const air = createVirtualRadio({ random: Math.random });
    const { logger, complaints } = keepingLogger();
    let tries = 0;
    const open = (): HciTransport => {
      tries += 1;
      if (tries < 4) throw new Error('no adapter here');
      return air.openTransport({ role: 'central', name: GATEWAY });
    };
    const hci = { kind: 'transport' as const, open };
    const radio = nobleRadio(hci, { logger, random: () => 0.01 });
    toEnd.push(() => radio.close());
    expect(radio.state).toBe('unavailable');
    await on(radio);
    expect(tries).toBe(4);
    expect(complaints).toEqual([
      expect.stringMatching(/^no emulated radio, the radio is unavailable .*"no adapter here"/),
    ]);
  });

  it('says what is wrong with one that is down', async () => {
    const made = nobleBench();
    made.air.setPower(GATEWAY, false);
    toEnd.push(() => made.radio.close());
    await until(() => made.complaints.length > 0);
    expect(made.complaints).toEqual([
      expect.stringMatching(/^the Bluetooth adapter is not on, the radio is unavailable .*"poweredOff"/),
    ]);
    made.air.setPower(GATEWAY, true);
    await on(made.radio);
  });

  it('asks again an adapter whose first answers were lost', async () => {
    const clock = new FakeClock();
    const { radio, traffic } = bench({ clock });
    traffic.swallow = () => true;
    await until(() => traffic.sent.length > 0);
    const asked = traffic.sent.length;
    await clock.advance(4_999);
    expect(traffic.sent).toHaveLength(asked);
    traffic.swallow = undefined;
    await clock.advance(1);
    await on(radio);
  });

  it('finds its hub again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'radio-'));
    toEnd.push(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'hub.sock');
    const air = createVirtualRadio({ random: Math.random });
    let hub: Hub = await serveHub(air, path);
    const { logger } = keepingLogger();
    const hci = { kind: 'sim' as const, path, name: GATEWAY };
    const radio = nobleRadio(hci, { logger, random: () => 0.05 });
    toEnd.push(() => radio.close());
    await on(radio);
    await add(air);
    await exchange(radio);
    await hub.close();
    await until(() => radio.state === 'unavailable');
    hub = await serveHub(air, path);
    toEnd.push(() => hub.close());
    await on(radio);
    await exchange(radio);
  });
});
