import { describe, expect, it } from 'vitest';
import { createPacketPacer } from '../../../agent/product/hci/packet-pacer.js';
import { waitFor } from '../../../agent/waiting/wait-for.js';
import { FakeClock, settle } from '../../world/fake-clock.js';

function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'it succeeded',
    (error: unknown) => error,
  );
}

describe('waitFor', () => {
  it('ends by the event, the time or a signal, and leaves neither timer nor listener', async () => {
    const clock = new FakeClock();
    const listening = new Set<(value: string) => void>();
    const abort = new AbortController();
    const wait = () =>
      waitFor<string>({
        clock,
        timeoutMs: 100,
        timedOut: () => new Error('too slow'),
        signals: [abort.signal],
        listen(done) {
          listening.add(done);
          return () => listening.delete(done);
        },
      });
    const byEvent = wait();
    for (const done of listening) done('came');
    expect(await byEvent).toBe('came');

    const byTime = failure(wait());
    await clock.advance(100);
    expect(await byTime).toMatchObject({ message: 'too slow' });

    const bySignal = failure(wait());
    abort.abort(new Error('not needed'));
    expect(await bySignal).toMatchObject({ message: 'not needed' });
    expect(await failure(wait())).toMatchObject({ message: 'not needed' });
    expect([listening.size, clock.pending]).toEqual([0, 0]);
  });

  it('takes what settles, or throws, before the listener is there', async () => {
    const clock = new FakeClock();
    let stopped = 0;
    const atOnce = waitFor<number>({
      clock,
      timeoutMs: 100,
      signals: [],
      listen(done) {
        done(1);
        return () => (stopped += 1);
      },
    });
    expect(await atOnce).toBe(1);
    const throwing = waitFor<number>({
      clock,
      timeoutMs: 100,
      signals: [],
      listen() {
        throw new Error('refused');
      },
    });
    expect(await failure(throwing)).toMatchObject({ message: 'refused' });
    expect([stopped, clock.pending]).toEqual([1, 0]);
  });
});

describe('packet pacer', () => {
  it('gives each packet a macrotask of its own', async () => {
    const order: string[] = [];
    const pacer = createPacketPacer((packet) => {
      order.push(`packet ${packet[0]}`);
      queueMicrotask(() => order.push(`after ${packet[0]}`));
    });
    for (const value of [1, 2, 3]) pacer.push(Buffer.of(value));
    expect(order).toEqual([]);
    await settle();
    expect(order).toEqual(['packet 1', 'after 1', 'packet 2', 'after 2', 'packet 3', 'after 3']);
    pacer.push(Buffer.of(4));
    pacer.stop();
    await settle();
    expect(order).toHaveLength(6);
  });

  it('delivers at once what has a macrotask of its own, but after what waits', async () => {
    const order: number[] = [];
    const pacer = createPacketPacer((packet) => void order.push(packet[0] ?? 0));
    pacer.pushAlone(Buffer.of(1));
    expect(order).toEqual([1]);
    pacer.push(Buffer.of(2));
    pacer.pushAlone(Buffer.of(3));
    expect(order).toEqual([1]);
    await settle();
    expect(order).toEqual([1, 2, 3]);
  });
});
