import { describe, expect, it } from 'vitest';
import {
  NEW_PACE,
  paceAfterAnswer,
  paceAfterQuestion,
  patienceOf,
  type UnitPace,
} from '../../../agent/sensor/modbus/unit-pace.js';

const timeout_ms = 500;
const silent = (pace: UnitPace, mono_ms = 0) => paceAfterQuestion(pace, { mono_ms, timeout_ms });

describe('a unit on a serial line', () => {
  it('is waited for twice as long as it is said to need, or as it has needed and half as much again', () => {
    expect(patienceOf(NEW_PACE, timeout_ms)).toBe(1_000);
    expect(patienceOf(paceAfterAnswer(NEW_PACE, 100), timeout_ms)).toBe(1_000);
    expect(patienceOf(paceAfterAnswer(NEW_PACE, 900), timeout_ms)).toBe(2_700);
  });

  it('gets more time twice when it was silent, then it counts as dead', () => {
    let pace = NEW_PACE;
    const waits = [0, 1, 2, 3, 4].map(() => {
      const wait = patienceOf(pace, timeout_ms);
      pace = silent(pace);
      return wait;
    });
    expect(waits).toEqual([1_000, 2_000, 4_000, 1_000, 1_000]);
  });

  it('rests after a silence until nothing can come any more, and not after an answer', () => {
    expect(silent(NEW_PACE, 1_000).rests_until_ms).toBe(6_000);
    expect(paceAfterAnswer(silent(NEW_PACE, 1_000), 20)).toEqual({ needed_ms: 20, silences: 0, rests_until_ms: 0 });
  });

  it('forgets by and by that it was slow once', () => {
    let pace = paceAfterAnswer(NEW_PACE, 900);
    for (let answers = 0; answers < 300; answers++) pace = paceAfterAnswer(pace, 20);
    expect(patienceOf(pace, timeout_ms)).toBe(1_000);
  });
});
