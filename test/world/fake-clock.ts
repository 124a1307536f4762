import type { Clock } from '../../shared/clock.js';

/** A clock that moves only when a test moves it, so that a test runs days in milliseconds. */
export class FakeClock implements Clock {
  private wallMs: number;
  private monotonicMs = 0;
  private nextId = 1;
  private readonly timers = new Map<number, { at: number; fire: () => void }>();

  constructor(startMs = Date.UTC(2026, 0, 15, 12, 0, 0)) {
    this.wallMs = startMs;
  }

  now(): number {
    return this.wallMs;
  }

  monotonic(): number {
    return this.monotonicMs;
  }

  setTimer(delayMs: number, fire: () => void): { cancel(): void } {
    const id = this.nextId++;
    this.timers.set(id, { at: this.monotonicMs + Math.max(0, delayMs), fire });
    return { cancel: () => void this.timers.delete(id) };
  }

  /** How many timers wait. */
  get pending(): number {
    return this.timers.size;
  }

  /** Milliseconds until the next timer is due; null when none waits. */
  get nextIn(): number | null {
    if (this.timers.size === 0) return null;
    return Math.min(...[...this.timers.values()].map(({ at }) => at)) - this.monotonicMs;
  }

  /** Makes the wall clock jump, as when the time is set; timers do not notice. */
  jumpWall(byMs: number): void {
    this.wallMs += byMs;
  }

  /** Lets time pass while nothing else happens, as during long work: no timer fires. */
  pass(byMs: number): void {
    this.moveTo(this.monotonicMs + byMs);
  }

  /** Lets days pass as on a machine that slept: each timer that was due fires once, at the end, so that one of a second does not fire a million times. */
  async sleep(byMs: number): Promise<void> {
    this.pass(byMs);
    await this.advance(0);
  }

  /** Lets time pass: due timers fire in order, and what one wakes runs to its next wait before the next one fires. */
  async advance(byMs: number): Promise<void> {
    const end = this.monotonicMs + byMs;
    for (;;) {
      await settle();
      const due = [...this.timers]
        .filter(([, timer]) => timer.at <= end)
        .sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0];
      if (due === undefined) break;
      const [id, timer] = due;
      this.timers.delete(id);
      this.moveTo(Math.max(timer.at, this.monotonicMs));
      timer.fire();
    }
    this.moveTo(end);
    await settle();
  }

  private moveTo(monotonicMs: number): void {
    this.wallMs += monotonicMs - this.monotonicMs;
    this.monotonicMs = monotonicMs;
  }
}

/** Lets everything that is ready run: promises and immediates. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve));
}
