import { describe, expect, it } from 'vitest';
import { QueueFullError } from '../../shared/fair-queue.js';
import { createLimitedQueue } from '../../shared/limited-queue.js';
import { settle } from '../world/fake-clock.js';

describe('a limited queue', () => {
  it('runs so many at a time, the rest in order, whatever fails', async () => {
    const queue = createLimitedQueue({ name: 'work', concurrency: 2, waitingMax: 10 });
    const started: number[] = [];
    const ends: (() => void)[] = [];
    const results = Promise.allSettled(
      [0, 1, 2, 3].map((index) =>
        queue.run(async () => {
          started.push(index);
          await new Promise<void>((resolve) => ends.push(resolve));
          if (index === 1) throw new Error('fails');
          return index;
        }),
      ),
    );
    await settle();
    expect(started).toEqual([0, 1]);
    ends[1]?.();
    await settle();
    expect(started).toEqual([0, 1, 2]);
    let idle = false;
    const becameIdle = queue.idle().then(() => (idle = true));
    ends[0]?.();
    await settle();
    expect(started).toEqual([0, 1, 2, 3]);
    ends[2]?.();
    await settle();
    expect(idle).toBe(false);
    ends[3]?.();
    await becameIdle;
    expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    await queue.idle();
  });

  it('refuses what would wait too long', async () => {
    const queue = createLimitedQueue({ name: 'password checks', concurrency: 1, waitingMax: 0 });
    const first = queue.run(() => settle());
    await expect(queue.run(() => settle())).rejects.toThrow(QueueFullError);
    await expect(queue.run(() => settle())).rejects.toThrow('password checks: 0 already wait; try again later');
    await first;
    await queue.run(() => settle());
  });
});
