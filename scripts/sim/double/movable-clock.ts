/** Time that flows as usual and can be moved forwards, for everything that runs in the test double. */
import type { Clock, Timer } from '../../../shared/clock.js';
import { createMutex } from '../../../shared/flow/mutex.js';
import { systemClock } from '../../../shared/system-clock.js';

/**
 * Ordered by dependence: a watcher wakes after those it watches, since otherwise a move would make everything seem
 * lost.
 */
export const LAYERS = ['ground', 'gateway', 'cloud'] as const;
export type Layer = (typeof LAYERS)[number];

/**
 * How much later than those on the ground a layer's timers fire in a move: more than the time between two signs of life of the
 * layer before it. Sensors are asked each second or so; gateways report every 30 s.
 */
const WAKES_AFTER_MS: Readonly<Record<Layer, number>> = { ground: 0, gateway: 2_000, cloud: 40_000 };
/** Timers that are due within this time of each other do not wait for each other's effects. */
const TOGETHER_MS = 50;
/** The time that sockets and threads of this process need to hand over their data. */
const BREATH_MS = 2;
/** Node.js fires a timer with a longer delay at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export interface MovableClock {
  /** The clock of one layer; all of them show the same time. */
  layer(layer: Layer): Clock;
  /** Wall time, milliseconds since 1970. */
  now(): number;
  /**
   * Moves wall time and monotonic time forwards together. Timers that became due fire at the new time, in their order, with a breath
   * between them, as on a machine that wakes up. Moves are served one after the other.
   * @param hooks.beforeLayer called once in a move before the first timer of a layer that wakes late; the timers wait for it
   */
  move(byMs: number, hooks: { beforeLayer(layer: Layer): Promise<void> }): Promise<void>;
  /** Cancels all timers. */
  stop(): void;
}

interface Waiting {
  dueMs: number;
  layer: Layer;
  fire: () => void;
  armed: Timer;
}

/** The timers that wait, on the monotonic time of the clock. */
interface Timers {
  add(layer: Layer, delayMs: number, fire: () => void): Timer;
  /** Takes out those that are due now, and lets the others wait for the time that is left. */
  dequeueDue(): Waiting[];
  /** Fires one that was taken out, unless it was cancelled meanwhile. */
  fire(timer: Waiting): void;
  stop(): void;
}

/** @param startMs wall time at which it begins; left out: the machine's */
export function createMovableClock(startMs?: number): MovableClock {
  let movedMs = 0;
  const wallOffsetMs = startMs === undefined ? 0 : startMs - systemClock.now();
  const monotonic = () => systemClock.monotonic() + movedMs;
  const now = () => systemClock.now() + wallOffsetMs + movedMs;
  const timers = createTimers(monotonic);
  const moves = createMutex<'move'>();

  return {
    now,
    layer: (layer) => ({ now, monotonic, setTimer: (delayMs, fire) => timers.add(layer, delayMs, fire) }),
    move: (byMs, { beforeLayer }) =>
      moves.run('move', async () => {
        // Data on its way over real sockets arrives before its time limit is over.
        await breathe();
        movedMs += byMs;
        await fireInTurn(timers, beforeLayer);
      }),
    stop: timers.stop,
  };
}

function createTimers(monotonic: () => number): Timers {
  const waiting = new Set<Waiting>();

  function fire(timer: Waiting): void {
    if (waiting.delete(timer)) timer.fire();
  }
  function arm(timer: Waiting): void {
    timer.armed.cancel();
    const delayMs = Math.min(TIMER_MS_MAX, Math.ceil(timer.dueMs - monotonic()));
    timer.armed = systemClock.setTimer(delayMs, () => {
      // A timer may come up to a millisecond early, and a very long one comes in parts.
      if (timer.dueMs - monotonic() > 1) arm(timer);
      else fire(timer);
    });
  }
  return {
    add(layer, delayMs, fireIt) {
      const dueMs = monotonic() + Math.max(0, delayMs);
      const timer: Waiting = { dueMs, layer, fire: fireIt, armed: { cancel() {} } };
      waiting.add(timer);
      arm(timer);
      return {
        cancel() {
          timer.armed.cancel();
          waiting.delete(timer);
        },
      };
    },
    dequeueDue() {
      const nowMs = monotonic();
      const due: Waiting[] = [];
      for (const timer of waiting) {
        if (timer.dueMs > nowMs) {
          arm(timer);
        } else {
          timer.armed.cancel();
          due.push(timer);
        }
      }
      return due;
    },
    fire,
    stop() {
      for (const timer of waiting) timer.armed.cancel();
      waiting.clear();
    },
  };
}

/** Fires the timers that are due: those of each layer as much later as the layer wakes, with a breath before each group. */
async function fireInTurn(timers: Timers, beforeLayer: (layer: Layer) => Promise<void>): Promise<void> {
  const turnOf = ({ dueMs, layer }: Waiting) => dueMs + WAKES_AFTER_MS[layer];
  const due = timers.dequeueDue().sort((a, b) => turnOf(a) - turnOf(b));
  const woken = new Set<Layer>(['ground']);
  let breathedAtMs = Number.NEGATIVE_INFINITY;
  for (const timer of due) {
    if (turnOf(timer) - breathedAtMs > TOGETHER_MS) {
      await breathe();
      breathedAtMs = turnOf(timer);
    }
    if (!woken.has(timer.layer)) {
      woken.add(timer.layer);
      await beforeLayer(timer.layer);
    }
    timers.fire(timer);
  }
  await breathe();
}

async function breathe(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, BREATH_MS));
  await new Promise((resolve) => setImmediate(resolve));
}
