import { describe, expect, it } from 'vitest';
import { createExportTurns } from '../../../cloud/kernel/limit/export-turns.js';
import { StoreError } from '../../../cloud/kernel/store/cloud-store.js';
import { FakeClock, settle } from '../../world/fake-clock.js';

function exportsOf() {
  const clock = new FakeClock();
  const turns = createExportTurns({ clock });
  const begun: string[] = [];
  const refused: string[] = [];
  return {
    clock,
    begun,
    refused,
    /** @returns how to end it, as the end of its answer does */
    begin(account_id: number, name: string): () => void {
      const answer = new AbortController();
      turns.begin(account_id, answer.signal).then(
        () => begun.push(name),
        (error: unknown) => {
          expect(error).toBeInstanceOf(StoreError);
          refused.push(name);
        },
      );
      return () => answer.abort();
    },
  };
}

describe('exports of an account', () => {
  it('run two at a time; the third waits, and is refused after 30 s', async () => {
    const { clock, begun, refused, begin } = exportsOf();
    const [endFirst] = ['1', '2', '3', '4'].map((name) => begin(1, name));
    begin(2, 'of another');
    await settle();
    expect(begun).toEqual(['1', '2', 'of another']);
    endFirst?.();
    await settle();
    expect(begun).toEqual(['1', '2', 'of another', '3']);
    await clock.advance(29_999);
    expect(refused).toEqual([]);
    await clock.advance(1);
    expect(refused).toEqual(['4']);
    expect(clock.pending).toBe(0);
  });

  it('leave nothing of 1,180 that nobody reads, and another account runs its own', async () => {
    const { clock, begun, refused, begin } = exportsOf();
    const ends = Array.from({ length: 1_180 }, (_, index) => begin(1, `a${index}`));
    await settle();
    expect(begun).toEqual(['a0', 'a1']);
    // The others are not even kept waiting.
    expect(refused).toHaveLength(1_180 - 2 - 20);
    begin(2, 'b1')();
    await settle();
    expect(begun.at(-1)).toBe('b1');
    for (const end of ends) end();
    await settle();
    expect(refused).toHaveLength(1_178);
    expect(clock.pending).toBe(0);
    begin(1, 'next');
    await settle();
    expect(begun.at(-1)).toBe('next');
  });
});
