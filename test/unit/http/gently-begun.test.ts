import { describe, expect, it } from 'vitest';
import { gentlyBegun } from '../../../cloud/rest/http/csv.js';
import { FakeClock } from '../../world/fake-clock.js';

const MIB = 1024 * 1024;

/** Pieces of 1 MiB, each of which takes so long to make. */
function begin(pieceMs: number) {
  const clock = new FakeClock();
  let made = 0;
  async function* pieces() {
    for (; made < 8; made++) {
      await clock.advance(pieceMs);
      yield 'x'.repeat(MIB);
    }
  }
  const file = gentlyBegun(pieces(), clock);
  return { clock, file, made: () => made };
}

describe('the beginning of a file', () => {
  it('rests three times as long as each piece took, until the network cannot hold it any more', async () => {
    const { clock, file, made } = begin(10);
    await file.next();
    for (const before of [0, 1, 2]) {
      const next = file.next();
      await clock.advance(29);
      expect(made()).toBe(before);
      await clock.advance(1);
      await next;
    }
    const startedMs = clock.monotonic();
    for (let piece = 4; piece < 8; piece++) await file.next();
    expect(clock.monotonic() - startedMs).toBe(40);
    expect((await file.next()).done).toBe(true);
  });

  it('does not rest longer for a piece that had to wait itself', async () => {
    const { clock, file, made } = begin(20_000);
    await file.next();
    const next = file.next();
    await clock.advance(99);
    expect(made()).toBe(0);
    await clock.advance(1);
    expect((await next).done).toBe(false);
  });
});
