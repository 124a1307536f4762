import { beforeEach, describe, expect, it } from 'vitest';
import {
  type AdvertisementBatcher,
  createAdvertisementBatcher,
} from '../../../agent/product/radio-process/advertisement-batcher.js';
import { FakeClock } from '../../world/fake-clock.js';

describe('what the radio process tells of advertisements', () => {
  let clock: FakeClock;
  let batcher: AdvertisementBatcher;
  let sent: string[][];

  const hear = (address: string, value: number) =>
    batcher.add({ address, rssi: -60, manufacturerData: Uint8Array.of(value) });

  beforeEach(() => {
    clock = new FakeClock();
    sent = [];
    batcher = createAdvertisementBatcher({
      clock,
      send: (all) => void sent.push(all.map(({ address, manufacturerData }) => `${address}${manufacturerData[0]}`)),
    });
  });

  it('is at once what is new', () => {
    hear('a', 1);
    hear('b', 1);
    hear('a', 2);
    expect(sent).toEqual([['a1'], ['b1'], ['a2']]);
  });

  it('is together what is repeated', async () => {
    for (const address of ['a', 'b', 'c']) hear(address, 1);
    sent = [];
    for (const address of ['c', 'a', 'b']) hear(address, 1);
    expect(sent).toEqual([]);
    await clock.advance(100);
    expect(sent).toEqual([['c1', 'a1', 'b1']]);
    hear('a', 1);
    await clock.advance(100);
    expect(sent).toHaveLength(2);
  });

  it('keeps its order: what waits goes before what is new', async () => {
    hear('a', 1);
    hear('b', 1);
    hear('a', 1);
    hear('a', 2);
    hear('a', 1);
    expect(sent).toEqual([['a1'], ['b1'], ['a1', 'a2'], ['a1']]);
    await clock.advance(1_000);
    expect(sent).toHaveLength(4);
  });

  it('is nothing after the end', async () => {
    hear('a', 1);
    hear('a', 1);
    batcher.close();
    await clock.advance(1_000);
    expect(sent).toEqual([['a1']]);
  });
});
