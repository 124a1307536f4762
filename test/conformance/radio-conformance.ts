import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Advertisement, type Radio, RadioError, type RadioLink } from '../../agent/product/radio.js';
import type { Beacon, BeaconData } from '../../agent/sensor/beacons.js';
import type { AirBeacon } from '../../scripts/sim/radio/product-air.js';
import { advertisementOf } from './radio-advertisement.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { runs } from '../depth.js';
import { itWhere } from './it-where.js';

/** The product side of a radio under test. */
export interface BenchProduct {
  readonly connected: boolean;
  /** The fragments that came on RX. */
  readonly written: Uint8Array[];
  /** Called with each fragment after it was added to `written`; a throw refuses it. */
  onWrite: ((fragment: Uint8Array) => void) | undefined;
  notify(fragment: Uint8Array): Promise<void>;
  setAdvertisement(manufacturerData: Uint8Array): void;
  disconnect(): void;
}

/** A radio with what it needs on the air. Its writes must fail after about half a second when they are not confirmed. */
export interface RadioBench {
  radio: Radio;
  addProduct(options: { address: string; manufacturerData: Uint8Array; mtu: number }): Promise<BenchProduct>;
  addBeacon(address: string, data: BeaconData): Promise<AirBeacon>;
  setPath(address: string, path: { inRange?: boolean; rssi?: number; loss?: number }): void;
  /** The gateway's adapter. */
  setPower(up: boolean): void;
  /** Closes everything but the radio. */
  close(): Promise<void>;
}

const ADDRESSES = ['a4c138000001', 'a4c138000002', 'a4c138000003'] as const;
const [FIRST] = ADDRESSES;
const TIMEOUT_MS = 10_000;

/**
 * What every implementation of the Radio port does.
 * @param isWhole whether range, signal and power can be changed, advertisements are repeated, and there are several links at once; what needs
 * one of these is skipped otherwise
 */
export function radioConformance(name: string, createBench: () => Promise<RadioBench>, isWhole = true): void {
  describe(`radio: ${name}`, () => {
    const itWhole = itWhere(isWhole, `radio: ${name}`);
    let bench: RadioBench;
    let radio: Radio;

    beforeEach(async () => {
      bench = await createBench();
      radio = bench.radio;
      await untilState(radio, 'on');
    });
    afterEach(async () => {
      await radio.close();
      await bench.close();
    });

    const add = (address: string = FIRST, mtu = 256) =>
      bench.addProduct({ address, mtu, manufacturerData: advertisementOf(address) });
    const connect = (address: string = FIRST, timeoutMs = TIMEOUT_MS) => radio.connect(address, { timeoutMs });

    itWhole('hears products with their signal, and changes of either', async () => {
      const heard: Advertisement[] = [];
      radio.onAdvertisement((advertisement) => heard.push(advertisement));
      bench.setPath(FIRST, { rssi: -48 });
      const product = await add();
      const isHeard = (rssi: number, data: Uint8Array) =>
        heard.some(
          (said) => said.address === FIRST && said.rssi === rssi && Buffer.compare(said.manufacturerData, data) === 0,
        );
      await until(() => isHeard(-48, advertisementOf(FIRST)));
      product.setAdvertisement(advertisementOf(FIRST, 7));
      await until(() => isHeard(-48, advertisementOf(FIRST, 7)));
      bench.setPath(FIRST, { rssi: -83 });
      await until(() => isHeard(-83, advertisementOf(FIRST, 7)));
    });

    itWhole('hears, beside products, the beacons that are wanted and no others', async () => {
      const heard: Beacon[] = [];
      radio.onBeacon((beacon) => heard.push(beacon));
      const products: string[] = [];
      radio.onAdvertisement(({ address }) => products.push(address));
      const [known = '', numbered = '', stranger = ''] = ['c0ffee000001', 'c0ffee000002', 'c0ffee000003'];
      const data = (...bytes: number[]): BeaconData => ({ kind: 'manufacturer', bytes: Uint8Array.from(bytes) });
      const own = await bench.addBeacon(known, data(0x59, 0x00, 1));
      await bench.addBeacon(numbered, { kind: 'service', bytes: Uint8Array.of(0xd2, 0xfc, 7, 7) });
      await bench.addBeacon(stranger, data(0x59, 0x00, 9));
      await add();
      await until(() => products.includes(FIRST));
      expect(heard).toEqual([]);
      radio.wantBeacons([
        { kind: 'manufacturer', id: 0x59, addresses: [known] },
        { kind: 'service', id: 0xfcd2, addresses: null },
      ]);
      const has = (address: string, hexadecimal: string) =>
        heard.some((beacon) => beacon.address === address && hex(beacon.bytes) === hexadecimal);
      await until(() => has(known, '590001') && has(numbered, 'd2fc0707'));
      own.setData(Uint8Array.of(0x59, 0x00, 2));
      await until(() => has(known, '590002'));
      expect(heard.map(({ address }) => address)).not.toContain(stranger);
      expect(products.every((address) => address === FIRST)).toBe(true);
      radio.wantBeacons([]);
    });

    itWhole('stops calling a listener that went away', async () => {
      let count = 0;
      const stop = radio.onAdvertisement(() => (count += 1));
      const product = await add();
      await until(() => count > 0);
      stop();
      const before = count;
      const again = firstAdvertisement(radio, (said) => said.manufacturerData[17] === 9);
      product.setAdvertisement(advertisementOf(FIRST, 9));
      await again;
      expect(count).toBe(before);
    });

    it.each([
      { mtu: 23, bytes: 20 },
      { mtu: 185, bytes: 182 },
      { mtu: 256, bytes: 253 },
    ])('carries whole fragments both ways in order at MTU $mtu', async ({ mtu, bytes }) => {
      const product = await add(FIRST, mtu);
      const link = await connect();
      expect(link.mtu).toBe(mtu);
      const sent = Array.from({ length: 12 }, (_, index) => new Uint8Array(bytes).fill(index + 1));
      const received: Uint8Array[] = [];
      link.onNotification((fragment) => received.push(fragment));
      for (const fragment of sent) await link.write(fragment);
      expect(product.written.map(hex)).toEqual(sent.map(hex));
      for (const fragment of sent) await product.notify(fragment);
      await until(() => received.length === sent.length);
      expect(received.map(hex)).toEqual(sent.map(hex));
      await link.close();
    });

    it('serves writes that do not wait for each other in their order', async () => {
      const product = await add();
      const link = await connect();
      await Promise.all([1, 2, 3, 4, 5].map((value) => link.write(Uint8Array.of(value))));
      expect(product.written.map(hex)).toEqual(['01', '02', '03', '04', '05']);
    });

    it('keeps what is notified before anybody listens', async () => {
      const product = await add();
      product.onWrite = (fragment) => void product.notify(Uint8Array.of(0xee, ...fragment));
      const link = await connect();
      await link.write(Uint8Array.of(1));
      const received: string[] = [];
      const stop = link.onNotification((fragment) => received.push(hex(fragment)));
      await until(() => received.length === 1);
      stop();
      await link.write(Uint8Array.of(2));
      link.onNotification((fragment) => received.push(hex(fragment)));
      await link.write(Uint8Array.of(3));
      await until(() => received.includes('ee03'));
      expect(received[0]).toBe('ee01');
    });

    itWhole('loses and repeats nothing on a bad path', async () => {
      const product = await add();
      const link = await connect();
      bench.setPath(FIRST, { loss: 0.3 });
      // What is lost is sent again at the pace of the radio.
      const values = Array.from({ length: runs(20, 3, 5) }, (_, index) => Uint8Array.of(index));
      for (const value of values) await link.write(value);
      expect(product.written.map(hex)).toEqual(values.map(hex));
    });

    it('ends a link when asked, once and for all', async () => {
      const product = await add();
      const link = await connect();
      await Promise.all([link.close(), link.close()]);
      await link.closed;
      await until(() => !product.connected);
      expect(await failure(link.write(Uint8Array.of(1)))).toMatchObject({ type: 2 });
      expect(product.written).toEqual([]);
    });

    it('connects again and again', async () => {
      const product = await add();
      product.onWrite = (fragment) => void product.notify(fragment);
      for (let round = 1; round <= 8; round++) {
        const link = await connect();
        const answer = firstNotification(link);
        await link.write(Uint8Array.of(round));
        expect(hex(await answer)).toBe(hex(Uint8Array.of(round)));
        await link.close();
      }
    });

    it('refuses a second link to a product, and opens it while the first is ending', async () => {
      const product = await add();
      const link = await connect();
      expect(await failure(connect(FIRST, 500))).toBeInstanceOf(RadioError);
      void link.close();
      await (await connect()).write(Uint8Array.of(3));
      expect(product.written.map(hex)).toEqual(['03']);
    });

    it('reports a link that the product ends', async () => {
      const product = await add();
      const link = await connect();
      product.disconnect();
      await link.closed;
      expect(await failure(link.write(Uint8Array.of(1)))).toMatchObject({ type: 2 });
      await (await connect()).close();
    });

    it('hears what a product sends before it ends the link', async () => {
      const product = await add();
      product.onWrite = (fragment) => {
        void product.notify(fragment);
        product.disconnect();
      };
      const link = await connect();
      const answer = firstNotification(link);
      const isHeard = Promise.race([answer.then(hex), link.closed.then(() => 'the end')]);
      await link.write(Uint8Array.of(4)).catch(() => undefined);
      expect(await isHeard).toBe('04');
      await link.closed;
    });

    itWhole('reports a link that breaks during a write', async () => {
      await add();
      const link = await connect();
      bench.setPath(FIRST, { inRange: false });
      expect(await failure(link.write(Uint8Array.of(1)))).toMatchObject({ type: 2 });
      await link.closed;
    });

    it('fails a write that the product refuses, and works on after it', async () => {
      const product = await add();
      product.onWrite = () => {
        throw new Error('refused');
      };
      const link = await connect();
      expect(await failure(link.write(Uint8Array.of(1)))).toMatchObject({ type: 3 });
      await link.closed;
      product.onWrite = undefined;
      const next = await connect();
      await next.write(Uint8Array.of(2));
      expect(hex(product.written.at(-1) ?? new Uint8Array())).toBe('02');
    });

    itWhole('does not find a product out of range, in time, and finds it when it is back', async () => {
      await add();
      await (await connect()).close();
      bench.setPath(FIRST, { inRange: false });
      // Within the limit that ends a test that hangs.
      expect(await failure(connect(FIRST, 400))).toMatchObject({ type: 4 });
      bench.setPath(FIRST, { inRange: true });
      const link = await connect();
      await link.write(Uint8Array.of(1));
    });

    it('does not find a product that was never heard', async () => {
      expect(await failure(connect('a4c1380000ff', 300))).toMatchObject({ type: 4 });
    });

    itWhole('holds links to several products, opened one after the other', async () => {
      const products = await Promise.all(ADDRESSES.map((address) => add(address)));
      const links = await Promise.all(ADDRESSES.map((address) => connect(address)));
      await Promise.all(links.map((link, index) => link.write(Uint8Array.of(index))));
      expect(products.map((product) => product.written.map(hex))).toEqual([['00'], ['01'], ['02']]);
      await links[1]?.close();
      await links[2]?.write(Uint8Array.of(9));
      expect(products[2]?.written.map(hex)).toEqual(['02', '09']);
    });

    itWhole('serves the next connect after one that fails', async () => {
      await add(ADDRESSES[0]);
      const second = await add(ADDRESSES[1]);
      await (await connect(ADDRESSES[0])).close();
      bench.setPath(ADDRESSES[0], { inRange: false });
      const failing = failure(connect(ADDRESSES[0], 300));
      const link = await connect(ADDRESSES[1]);
      expect(await failing).toMatchObject({ type: 4 });
      await link.write(Uint8Array.of(5));
      expect(second.written.map(hex)).toEqual(['05']);
    });

    itWhole('gives up a connect when its signal says so', async () => {
      await add(ADDRESSES[0]);
      await add(ADDRESSES[1]);
      await (await connect(ADDRESSES[0])).close();
      bench.setPath(ADDRESSES[0], { inRange: false });
      const running = new AbortController();
      const queued = new AbortController();
      const first = failure(radio.connect(ADDRESSES[0], { timeoutMs: TIMEOUT_MS, signal: running.signal }));
      const second = failure(radio.connect(ADDRESSES[1], { timeoutMs: TIMEOUT_MS, signal: queued.signal }));
      const third = connect(ADDRESSES[1]);
      queued.abort(new Error('not needed any more'));
      expect(await second).toMatchObject({ message: 'not needed any more' });
      running.abort(new Error('too late'));
      expect(await first).toMatchObject({ message: 'too late' });
      await (await third).close();
      const aborted = AbortSignal.abort(new Error('before it began'));
      expect(await failure(radio.connect(ADDRESSES[1], { timeoutMs: TIMEOUT_MS, signal: aborted }))).toMatchObject({
        message: 'before it began',
      });
    });

    itWhole('survives a power cut of the adapter', async () => {
      const product = await add();
      const link = await connect();
      const notified: string[] = [];
      radio.onStateChange((state) => notified.push(state));
      bench.setPower(false);
      await untilState(radio, 'unavailable');
      await link.closed;
      expect(await failure(link.write(Uint8Array.of(1)))).toMatchObject({ type: 2 });
      expect(await failure(connect())).toMatchObject({ type: 3 });
      await until(() => !product.connected);
      bench.setPower(true);
      await untilState(radio, 'on');
      expect(notified).toEqual(['unavailable', 'on']);
      await (await connect()).write(Uint8Array.of(2));
      expect(product.written.map(hex)).toEqual(['02']);
    });

    itWhole('survives a power cut in the middle of a connect', async () => {
      await add();
      await (await connect()).close();
      bench.setPath(FIRST, { inRange: false });
      const waiting = failure(connect(FIRST, 60_000));
      bench.setPower(false);
      expect(await waiting).toMatchObject({ type: 3 });
      bench.setPath(FIRST, { inRange: true });
      bench.setPower(true);
      await untilState(radio, 'on');
      await (await connect()).close();
    });

    it('ends what is under way when it is closed', async () => {
      const product = await add();
      const link = await connect();
      const waiting = failure(connect('a4c1380000ff', 60_000));
      const queued = failure(connect(ADDRESSES[1], 60_000));
      await radio.close();
      await link.closed;
      expect(await waiting).toBeInstanceOf(RadioError);
      expect(await queued).toBeInstanceOf(RadioError);
      await until(() => !product.connected);
      expect(await failure(connect())).toBeInstanceOf(RadioError);
      await radio.close();
    });
  });
}

const until = (condition: () => boolean): Promise<boolean> => waitUntil(String(condition), condition);

const untilState = (radio: Radio, state: Radio['state']): Promise<boolean> =>
  waitUntil(`the radio to be ${state}`, () => radio.state === state);

function firstNotification(link: RadioLink): Promise<Uint8Array> {
  return new Promise((resolve) => {
    const stop = link.onNotification((fragment) => {
      stop();
      resolve(fragment);
    });
  });
}

function firstAdvertisement(radio: Radio, isWanted: (advertisement: Advertisement) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = radio.onAdvertisement((advertisement) => {
      if (!isWanted(advertisement)) return;
      stop();
      resolve();
    });
  });
}

function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
