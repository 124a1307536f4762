import { describe, expect, it } from 'vitest';
import { type Answerers, createCloudAsks } from '../../../agent/command/cloud-asks.js';
import { decideDriver } from '../../../agent/lpr/discovery/decide-driver.js';
import { hearProducts } from '../../../agent/product/hear-products.js';
import type { Advertisement } from '../../../agent/product/radio.js';
import * as nodeCrypto from 'node:crypto';
import { encodeAdvertisement } from '../../../shared/product-protocol/advertisement-codec.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import type { ProductDeviceId } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import type { AskAnswer, AskMessage } from '../../../shared/uplink-asks.js';
import { FakeClock } from '../../world/fake-clock.js';

describe('the driver of a camera that was found', () => {
  it.each([
    ['HIKVISION', 'ws-discovery', 'hikvision'],
    ['UNV', 'ws-discovery', 'uniview'],
    ['AXIS Communications', 'ws-discovery', 'axis'],
    ['Acme', 'ws-discovery', 'onvif'],
    ['Acme', 'sadp', 'hikvision'],
    ['', 'dhip', 'dahua'],
    ['Color Mapping Inc.', 'ws-discovery', 'onvif'],
  ] as const)('is, by vendor %j and protocol %s, %s', (vendor, by, driver) => {
    expect(decideDriver({ vendor, by })).toBe(driver);
  });
});

describe('products that are heard', () => {
  const crypto = createProtocolCrypto(nodeCrypto);
  const heard = (deviceId: string, rssi: number): Advertisement => ({
    address: deviceId,
    rssi,
    manufacturerData: encodeAdvertisement(crypto, {
      advertisementKey: new Uint8Array(16),
      content: {
        state: 'closed',
        carOnTop: false,
        autoClose: false,
        permanentPosition: 'disabled',
        battery: 90,
        errors: 0,
        type: 'gate',
        deviceId: deviceId as ProductDeviceId,
        changeCounter: 1,
        pairingEpochLow: 0,
        advSeq: 1,
      },
    }),
  });

  it('are those of anybody, the strongest first, and no more than fit', async () => {
    const clock = new FakeClock();
    let listener: ((advertisement: Advertisement) => void) | null = null;
    const radio = {
      onAdvertisement(next: (advertisement: Advertisement) => void) {
        listener = next;
        return () => void (listener = null);
      },
    };
    const hear = (advertisement: Advertisement) => listener?.(advertisement);
    const search = hearProducts({ radio, clock }, { forMs: 6_000, signal: new AbortController().signal });
    hear(heard('a4c138000001', -80));
    hear(heard('a4c138000002', -50));
    hear(heard('a4c138000001', -60));
    hear({ address: 'x', rssi: -1, manufacturerData: Uint8Array.of(1, 2, 3) });
    for (let made = 0; made < 1_000; made += 1) hear(heard(`b00000${String(made).padStart(6, '0')}`, -100));
    await clock.advance(6_000);
    const products = await search;
    expect(products.slice(0, 2)).toEqual([
      { device_id: 'a4c138000002', type: 'gate', rssi: -50 },
      { device_id: 'a4c138000001', type: 'gate', rssi: -60 },
    ]);
    expect(products).toHaveLength(256);
    expect(listener).toBeNull();
  });
});

describe('a gateway that is asked', () => {
  function desk(own: Partial<Answerers>) {
    const refuse = () => Promise.reject(new Error('nobody asked'));
    const published: AskAnswer[] = [];
    const answerers: Answerers = {
      cameras: refuse,
      products: refuse,
      setup: refuse,
      probe: refuse,
      display_test: refuse,
      sensors: refuse,
      ...own,
    };
    return {
      published,
      asks: createCloudAsks({ answerers, logger: silentLogger, publish: (each) => void published.push(each) }),
    };
  }
  const probe = (subject_id: number): AskMessage => ({ kind: 'probe', subject_id, asked_ms: 5 });

  it('answers with what was asked, or with the reason why it cannot', async () => {
    const answer = { is_there: true, problem: null, hosts: [] };
    const { asks, published } = desk({
      probe: ({ subject_id }) => (subject_id === 1 ? answer : Promise.reject(new Error('x'.repeat(2_000)))),
    });
    asks.handle(probe(1));
    asks.handle(probe(2));
    await expect.poll(() => published.length).toBe(2);
    await asks.close();
    expect(published).toContainEqual({ kind: 'probe', subject_id: 1, asked_ms: 5, fault: null, answer });
    expect(published.find(({ subject_id }) => subject_id === 2)).toMatchObject({
      fault: 'x'.repeat(500),
      answer: null,
    });
  });

  it('refuses the same twice at once, and more than eight at once', async () => {
    const { asks, published } = desk({
      probe: (_ask, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    for (const id of [1, 1, 2, 3, 4, 5, 6, 7, 8, 9]) asks.handle(probe(id));
    expect(published.map(({ subject_id, fault }) => [subject_id, fault?.includes('busy')])).toEqual([
      [1, true],
      [9, true],
    ]);
    await asks.close();
    expect(published).toHaveLength(2);
  });
});
