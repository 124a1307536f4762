import { describe, expect, it } from 'vitest';
import { createProductWatch } from '../../../agent/product/product-watch.js';
import type { ProductDeviceId } from '../../../shared/ids.js';
import {
  encodeAdvertisement,
  type ProductAdvertisement,
} from '../../../shared/product-protocol/advertisement-codec.js';
import { bytesToHex } from '../../../shared/product-protocol/bytes.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import type { StatusBlock } from '../../../shared/product-protocol/status-block.js';
import { createFakeRadio } from '../../devices/fake-radio.js';
import { FakeClock } from '../../world/fake-clock.js';
import { crypto, MASTER_KEY } from '../product-protocol/protocol-fixture.js';
import { BARRIER, GATE, productItem } from './product-item.js';

const CLOSED: ProductAdvertisement = {
  type: 'barrier',
  deviceId: BARRIER,
  state: 'closed',
  carOnTop: false,
  autoClose: true,
  permanentPosition: 'disabled',
  errors: 0,
  battery: 87,
  changeCounter: 7,
  pairingEpochLow: 1,
  advSeq: 100,
};
const STATUS: StatusBlock = { ...CLOSED, result: { kind: 'ok' }, state: 'opened', autocloseS: 12, changeCounter: 9 };

/** A watch, and one advertisement heard whenever the test says so. */
function startWatch(items = [productItem(BARRIER), productItem(GATE)]) {
  const clock = new FakeClock();
  const notified: ((advertisement: { address: string; rssi: number; manufacturerData: Uint8Array }) => void)[] = [];
  const { radio } = createFakeRadio({ clock });
  const watch = createProductWatch({
    radio: {
      ...radio,
      state: 'on',
      onAdvertisement(listener) {
        notified.push(listener);
        return () => void notified.splice(notified.indexOf(listener), 1);
      },
    },
    crypto,
    clock,
  });
  watch.setProducts(items);
  let changes = 0;
  const stop = watch.onChange(() => (changes += 1));
  return {
    clock,
    watch,
    notified,
    stop,
    /** How often a change was told since this was asked last. */
    changes() {
      const since = changes;
      changes = 0;
      return since;
    },
    hear(
      change: Partial<ProductAdvertisement> = {},
      options: { pairingEpoch?: number; rssi?: number; address?: string } = {},
    ) {
      const content = { ...CLOSED, ...change };
      const { pairingEpoch = 1, rssi = -60, address = content.deviceId } = options;
      const keys = deriveProductKeys(crypto, { masterKey: MASTER_KEY, deviceId: content.deviceId, pairingEpoch });
      const bytes = encodeAdvertisement(crypto, { advertisementKey: keys.adv, content });
      for (const listener of notified) listener({ address, rssi, manufacturerData: bytes });
      return bytes;
    },
    hearBytes(manufacturerData: Uint8Array) {
      for (const listener of notified) listener({ address: 'bad0bad0bad0', rssi: -20, manufacturerData });
    },
    report: (deviceId: ProductDeviceId = BARRIER) =>
      watch.reports().find(({ device_id }) => device_id === deviceId) ?? expect.fail(`no report of ${deviceId}`),
  };
}

describe('the watch over products', () => {
  it('knows nothing of a product that was not heard', () => {
    const { watch, report } = startWatch();
    expect(watch.reports()).toHaveLength(2);
    expect(report()).toEqual({
      product_id: 1,
      device_id: BARRIER,
      status: 'offline',
      state: null,
      permanent_position: null,
      is_car_on_top: null,
      is_autoclose: null,
      autoclose_time: null,
      battery_status: null,
      rssi: null,
      errors: 0,
      advertisement_data: null,
      seen_ago_ms: null,
    });
    expect([watch.product(BARRIER)?.name, watch.knownAddress(BARRIER)]).toEqual([`Product ${BARRIER}`, null]);
  });

  it('reports what an advertisement says, and how long ago it came', async () => {
    const { clock, hear, report } = startWatch();
    const bytes = hear({ carOnTop: true, permanentPosition: 'stay_open', errors: 2, battery: null }, { rssi: -71 });
    await clock.advance(1_234);
    expect(report()).toEqual({
      product_id: 1,
      device_id: BARRIER,
      status: 'online',
      state: 'closed',
      permanent_position: 'stay_open',
      is_car_on_top: true,
      is_autoclose: true,
      autoclose_time: null,
      battery_status: null,
      rssi: -71,
      errors: 2,
      advertisement_data: bytesToHex(bytes),
      seen_ago_ms: 1_234,
    });
    expect(report(GATE).status).toBe('offline');
  });

  it('ignores what is forged, of an earlier pairing, of a stranger, or no advertisement at all', () => {
    const { hear, hearBytes, report, watch, changes } = startWatch();
    const genuine = hear();
    const before = report();
    changes();
    for (let at = 2; at < genuine.length; at++) {
      const forged = genuine.slice();
      forged[at] = (forged[at] ?? 0) ^ 1;
      hearBytes(forged);
    }
    hear({ advSeq: 200, state: 'opened' }, { pairingEpoch: 2 });
    hear({ advSeq: 200, deviceId: 'a4c138ffffff' as ProductDeviceId });
    hearBytes(new Uint8Array(3));
    expect([report(), watch.reports().length, changes()]).toEqual([before, 2, 0]);
    expect(watch.knownAddress(BARRIER)).toBe(BARRIER);
  });

  it('ignores an old advertisement played again', async () => {
    const { clock, hear, hearBytes, report } = startWatch();
    const old = hear();
    hear({ state: 'opened', changeCounter: 8, advSeq: 101 });
    await clock.advance(5_000);
    hearBytes(old);
    expect(report()).toMatchObject({ state: 'opened', rssi: -60, seen_ago_ms: 5_000 });
  });

  it('takes a repeated advertisement for a sign of life', async () => {
    const { clock, hear, report, changes } = startWatch();
    hear();
    changes();
    await clock.advance(59_000);
    hear({}, { rssi: -80 });
    await clock.advance(59_000);
    expect([report(), changes()]).toMatchObject([{ status: 'online', rssi: -80, seen_ago_ms: 59_000 }, 0]);
  });

  it('lets a STATUS begin the numbering anew, but not with what was on the air before it', () => {
    const { hear, hearBytes, report, watch } = startWatch();
    const old = hear({ advSeq: 99, changeCounter: 6, state: 'opened' });
    const last = hear();
    watch.applyStatus(BARRIER, STATUS);
    hearBytes(last);
    hearBytes(old);
    expect(report()).toMatchObject({ state: 'opened', autoclose_time: 12, rssi: -60 });

    // The product lost its numbers, not its word in the STATUS.
    hear({ advSeq: 3, changeCounter: 10, state: 'closed' });
    expect(report().state).toBe('closed');
    hear({ advSeq: 2, changeCounter: 11, state: 'opened' });
    expect(report().state).toBe('closed');
  });

  it('compares change counters around their end', () => {
    const { hear, hearBytes, report, watch } = startWatch();
    const before = hear({ changeCounter: 0xffff });
    watch.applyStatus(BARRIER, { ...STATUS, changeCounter: 1 });
    hearBytes(before);
    expect(report().state).toBe('opened');
    hear({ advSeq: 100, changeCounter: 2 });
    expect(report().state).toBe('closed');
  });

  it('knows what is held closed, by what was heard last', () => {
    const { watch, hear } = startWatch();
    const seen = [watch.isHeldClosed(BARRIER)];
    hear({ permanentPosition: 'stay_close' });
    seen.push(watch.isHeldClosed(BARRIER), watch.isHeldClosed(GATE));
    watch.applyStatus(BARRIER, { ...STATUS, permanentPosition: 'stay_open' });
    seen.push(watch.isHeldClosed(BARRIER));
    expect(seen).toEqual([false, true, false, false]);
  });

  it('takes a first STATUS for life, before any advertisement', () => {
    const { hear, report, watch, changes } = startWatch();
    watch.applyStatus(BARRIER, STATUS);
    expect(report()).toMatchObject({ status: 'online', state: 'opened', rssi: null, advertisement_data: null });
    expect(changes()).toBe(1);
    hear();
    expect(report()).toMatchObject({ state: 'closed', rssi: -60 });
    watch.applyStatus('a4c138ffffff' as ProductDeviceId, STATUS);
    expect(watch.reports()).toHaveLength(2);
  });

  it('is offline after a minute of silence, and says so when it is swept', async () => {
    const { clock, hear, report, watch, changes } = startWatch();
    hear();
    await clock.advance(59_999);
    watch.sweep();
    changes();
    expect(report()).toMatchObject({ status: 'online' });
    await clock.advance(1);
    expect(report()).toMatchObject({ status: 'offline', state: 'closed', rssi: null, seen_ago_ms: 60_000 });
    expect(changes()).toBe(0);
    watch.sweep();
    watch.sweep();
    expect(changes()).toBe(1);
    hear();
    expect([report().status, changes()]).toEqual(['online', 1]);
  });

  it('tells a movement when it is over, not while it lasts, and each change once', async () => {
    const { clock, hear, report, watch, changes } = startWatch();
    hear();
    expect(changes()).toBe(1);
    hear({ advSeq: 101, state: 'moving', carOnTop: true });
    watch.applyStatus(BARRIER, { ...STATUS, state: 'moving' });
    expect([report(), changes()]).toMatchObject([{ state: null, permanent_position: null }, 0]);
    watch.applyStatus(BARRIER, STATUS);
    watch.applyStatus(BARRIER, STATUS);
    expect([report().state, changes()]).toEqual(['opened', 1]);
    watch.applyStatus(BARRIER, { ...STATUS, errors: 1 });
    expect([report().errors, changes()]).toEqual([1, 1]);
    hear({ advSeq: 102, state: 'opened', errors: 1, battery: 86, changeCounter: 10 }, { rssi: -90 });
    expect([report(), changes()]).toMatchObject([{ battery_status: 86, rssi: -60 }, 0]);

    hear({ advSeq: 103, state: 'moving', changeCounter: 11 });
    await clock.advance(60_000);
    watch.sweep();
    expect([report(), changes()]).toMatchObject([{ status: 'offline', state: 'opened' }, 1]);
  });

  it('keeps what it knows when the configuration changes, and forgets it with the pairing', () => {
    const { hear, report, watch, changes } = startWatch();
    watch.sweep();
    expect(changes()).toBe(0);
    hear();
    watch.applyStatus(BARRIER, STATUS);
    watch.setProducts([{ ...productItem(BARRIER), name: 'Renamed' }]);
    expect(watch.product(BARRIER)?.name).toBe('Renamed');
    expect(report()).toMatchObject({ status: 'online', state: 'opened', autoclose_time: 12, rssi: -60 });
    expect([watch.product(GATE), watch.reports().length]).toEqual([null, 1]);
    changes();

    watch.setProducts([productItem(BARRIER, { pairing: { pairingEpoch: 2 } })]);
    expect(report()).toMatchObject({ status: 'offline', state: null, autoclose_time: null, advertisement_data: null });
    expect(watch.knownAddress(BARRIER)).toBe(BARRIER);
    hear({ advSeq: 101 });
    // Not proven by the key that it should have: told, for it may be what a pairing waits for, and only once.
    expect([report(), changes()]).toMatchObject([{ status: 'offline', unproven: { rssi: -60 } }, 1]);
    hear({ advSeq: 102 });
    expect(changes()).toBe(0);
    watch.sweep();
    expect(changes()).toBe(1);
    hear({ advSeq: 1, pairingEpochLow: 2 }, { pairingEpoch: 2 });
    expect(report()).toMatchObject({ status: 'online', state: 'closed' });
    expect(report()).not.toHaveProperty('unproven');

    watch.setProducts([productItem(BARRIER, { pairing: null })]);
    hear({ advSeq: 2, pairingEpochLow: 2 }, { pairingEpoch: 2 });
    expect(report().status).toBe('offline');
  });

  it('leaves no listener behind', () => {
    const { notified, stop, watch, changes } = startWatch();
    stop();
    watch.applyStatus(BARRIER, STATUS);
    watch.close();
    expect([notified.length, changes()]).toEqual([0, 0]);
  });
});

describe('the address of a product', () => {
  it('is known as soon as it was heard, and follows what is heard', async () => {
    const { clock, hear, watch } = startWatch();
    hear({}, { address: '111111111111' });
    expect(watch.knownAddress(BARRIER)).toBe('111111111111');
    hear({ advSeq: 101 }, { address: '222222222222' });
    expect(await watch.address(BARRIER, { timeoutMs: 0 })).toBe('222222222222');
    expect(clock.pending).toBe(0);
  });

  it('is waited for, by everybody who asks, and given up in time', async () => {
    const { clock, hear, watch } = startWatch();
    const asked = [1_000, 5_000].map((timeoutMs) => watch.address(BARRIER, { timeoutMs }));
    const other = watch.address(GATE, { timeoutMs: 5_000 });
    expect(await watch.address(BARRIER, { timeoutMs: 0 })).toBeNull();
    await clock.advance(999);
    hear();
    expect(await Promise.all(asked)).toEqual([BARRIER, BARRIER]);
    expect(clock.pending).toBe(1);
    await clock.advance(4_001);
    expect(await other).toBeNull();
    expect(clock.pending).toBe(0);
  });

  it('is not waited for after an abort', async () => {
    const { clock, watch } = startWatch();
    const abort = new AbortController();
    const asked = watch.address(BARRIER, { timeoutMs: 5_000, signal: abort.signal });
    abort.abort(new Error('not needed'));
    await expect(asked).rejects.toThrow('not needed');
    await expect(watch.address(BARRIER, { timeoutMs: 5_000, signal: abort.signal })).rejects.toThrow('not needed');
    expect(clock.pending).toBe(0);
  });

  it('is still waited for when the configuration changes meanwhile', async () => {
    const { hear, watch } = startWatch();
    const asked = watch.address(BARRIER, { timeoutMs: 5_000 });
    watch.setProducts([productItem(BARRIER)]);
    hear();
    expect(await asked).toBe(BARRIER);
  });
});
