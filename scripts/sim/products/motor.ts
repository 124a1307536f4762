/** The motor of a product: a movement takes time, and it may be stuck. */
import type { Clock, Timer } from '../../../shared/clock.js';

export interface Motor {
  /** How many movements really took place. */
  readonly moves: number;
  /** Something holds the product: every attempt to move ends where it began. */
  stuck: boolean;
  start(): void;
  /** Goes back as far as it has come. */
  reverse(): void;
  stop(): void;
}

export function createMotor(options: {
  clock: Clock;
  /** How long a whole movement takes. */
  movementMs: number;
  onEnd(end: 'arrived' | 'jammed'): void;
}): Motor {
  const { clock, movementMs } = options;
  let moves = 0;
  let startedMs = 0;
  let timer: Timer | null = null;

  function run(durationMs: number): void {
    timer?.cancel();
    if (!motor.stuck) moves += 1;
    timer = clock.setTimer(durationMs, () => {
      timer = null;
      options.onEnd(motor.stuck ? 'jammed' : 'arrived');
    });
  }

  const motor: Motor = {
    get moves() {
      return moves;
    },
    stuck: false,
    start() {
      startedMs = clock.monotonic();
      run(movementMs);
    },
    reverse: () => run(Math.min(movementMs, clock.monotonic() - startedMs)),
    stop() {
      timer?.cancel();
      timer = null;
    },
  };
  return motor;
}
