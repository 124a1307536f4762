import { describe, expect, it } from 'vitest';
import { createMutex } from '../../../shared/flow/mutex.js';
import { settle } from '../../world/fake-clock.js';

describe('a mutex by key', () => {
  it('runs one at a time for each key, in order, whatever fails, and others meanwhile', async () => {
    const mutex = createMutex<string>();
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const run = (key: string, name: string) =>
      mutex.run(key, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        if (name === 'a1') throw new Error('fails');
        return name;
      });
    const results = Promise.allSettled([run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1')]);
    let isIdle = false;
    void mutex.idle().then(() => (isIdle = true));
    for (const each of [['a1', 'b1'], ['a2'], ['a3']]) {
      await settle();
      expect([begun.splice(0), isIdle]).toEqual([each, false]);
      for (const name of each) ends.get(name)?.();
    }
    await settle();
    expect(isIdle).toBe(true);
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  });
});
