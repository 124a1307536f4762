import { describe, expect, it } from 'vitest';
import { createFakeRadio, type FakeProduct, type FakeRadio } from '../../devices/fake-radio.js';
import { FakeClock } from '../../world/fake-clock.js';
import { advertisement, failure, PRODUCT } from './bench.js';

function start(onWrite: (fragment: Uint8Array) => void = () => {}): {
  clock: FakeClock;
  fake: FakeRadio;
  product: FakeProduct;
} {
  const clock = new FakeClock();
  const fake = createFakeRadio({ clock });
  return { clock, fake, product: fake.addProduct({ address: PRODUCT, manufacturerData: advertisement(), onWrite }) };
}

/** What has become of a promise after a long time. */
async function fate(clock: FakeClock, promise: Promise<unknown>): Promise<string> {
  let is = 'pending';
  void promise.then(
    () => (is = 'done'),
    () => (is = 'failed'),
  );
  await clock.advance(600_000);
  return is;
}

describe('fake radio: the bad habits of the real ones', () => {
  it('connect never answers', async () => {
    const { clock, fake } = start();
    fake.misbehave('connect-never-answers');
    expect(await fate(clock, fake.radio.connect(PRODUCT, { timeoutMs: 100 }))).toBe('pending');
    expect(await fate(clock, fake.radio.connect(PRODUCT, { timeoutMs: 100 }))).toBe('done');
  });

  it('connect fails before it returns', async () => {
    const { fake } = start();
    fake.misbehave('connect-fails-in-same-tick');
    const order: string[] = [];
    const failed = fake.radio.connect(PRODUCT, { timeoutMs: 100 }).catch((error: { type: number }) => {
      order.push(`type ${error.type}`);
    });
    queueMicrotask(() => order.push('next microtask'));
    await failed;
    expect(order[0]).toBe('type 3');
  });

  it.each([
    ['write-lost' as const, []],
    ['write-unconfirmed' as const, [[7]]],
  ])('%s', async (habit, expected) => {
    const written: number[][] = [];
    const { clock, fake } = start((fragment) => void written.push([...fragment]));
    const connecting = fake.radio.connect(PRODUCT, { timeoutMs: 100 });
    await clock.advance(0);
    const link = await connecting;
    fake.misbehave(habit);
    expect(await fate(clock, link.write(Uint8Array.of(7)))).toBe('pending');
    expect(written).toEqual(expected);
  });

  it('the link ends without a word, until it is closed', async () => {
    const { clock, fake, product } = start();
    const connecting = fake.radio.connect(PRODUCT, { timeoutMs: 100 });
    await clock.advance(0);
    const link = await connecting;
    fake.misbehave('disconnect-without-event');
    product.disconnect();
    expect(product.connected).toBe(false);
    expect(await fate(clock, link.closed)).toBe('pending');
    expect(await fate(clock, failure(link.write(Uint8Array.of(7))))).toBe('done');
    await link.close();
    await link.closed;
  });
});
