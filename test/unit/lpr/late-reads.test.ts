import { describe, expect, it } from 'vitest';
import { decideLateReads, lateProblem, type LateReads } from '../../../agent/lpr/presence/decide-late-reads.js';

/** What is known after reads that were late by so much, and came so long after the first; seconds. */
const after = (...reads: [behind: number, arrived: number][]): LateReads | null =>
  reads.reduce<LateReads | null>(
    (before, [behind, arrived]) =>
      decideLateReads(before, { behind_ms: behind * 1_000, arrived_mono_ms: arrived * 1_000 }),
    null,
  );

describe('reads that come long after their capture', () => {
  it.each<[string, [number, number][], boolean]>([
    ['one read', [[95, 0]], false],
    [
      'a backlog that comes at once',
      [
        [900, 0],
        [700, 0.2],
        [400, 0.4],
        [95, 0.6],
      ],
      false,
    ],
    [
      'a backlog of vehicles seconds apart',
      [
        [99, 0],
        [96, 0.1],
        [93, 0.2],
        [90, 0.3],
        [87, 0.4],
      ],
      false,
    ],
    [
      'a clock, as soon as half a minute shows it',
      [
        [95, 0],
        [96, 29],
      ],
      false,
    ],
    [
      'a clock',
      [
        [95, 0],
        [96, 12],
        [94, 31],
      ],
      true,
    ],
    [
      'a clock, also for its next read',
      [
        [95, 0],
        [96, 31],
        [95, 32],
      ],
      true,
    ],
    [
      'a clock that was moved',
      [
        [95, 0],
        [96, 31],
        [3_600, 32],
      ],
      false,
    ],
  ])('show of %s', (_name, reads, isSteady) => {
    expect(after(...reads)?.is_steady).toBe(isSteady);
  });

  it('are told with the figure, which does not change with every vehicle', () => {
    const once = after([95, 0]);
    const steady = after([95, 0], [97, 31]);
    const later = after([95, 0], [97, 31], [98, 40]);
    expect(once !== null && lateProblem(once)).toMatch(/^its last read came 95 s after its capture/);
    expect(steady !== null && lateProblem(steady)).toMatch(/^its clock is 95 s behind: .* open nothing; set its clock/);
    expect(later).toEqual(steady);
  });
});
