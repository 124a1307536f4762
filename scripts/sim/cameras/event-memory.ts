/** The events that a camera keeps while its agent does not accept them, and sends again (Hikvision: automatic network replenishment). */
import type { Clock, Timer } from '../../../shared/clock.js';
import type { CameraEvent } from './camera-vendor.js';

const RETRY_AFTER_MS = 5_000;
const EVENTS_MAX = 200;

export interface EventMemory {
  readonly size: number;
  /** Keeps an event; beyond the bound it drops the oldest. */
  keep(event: CameraEvent): void;
  /** Starts to send kept events again, as long as there are any. */
  start(): void;
  stop(): void;
}

export interface EventMemoryDeps {
  clock: Clock;
  /** Whether the agent accepted the event. Never rejects. */
  resend(event: CameraEvent): Promise<boolean>;
  onDropped(event: CameraEvent): void;
}

export function createEventMemory({ clock, resend, onDropped }: EventMemoryDeps): EventMemory {
  const kept: CameraEvent[] = [];
  let timer: Timer | null = null;
  let running = false;
  let resending = false;

  function schedule(): void {
    if (!running || resending || timer !== null || kept.length === 0) return;
    timer = clock.setTimer(RETRY_AFTER_MS, () => {
      timer = null;
      void resendAll();
    });
  }

  /** Sends the oldest first, until one is not accepted. */
  async function resendAll(): Promise<void> {
    resending = true;
    for (let event = kept[0]; event !== undefined; event = kept[0]) {
      if (!running || !(await resend(event))) break;
      // The event may have been dropped meanwhile.
      if (kept[0] === event) kept.shift();
    }
    resending = false;
    schedule();
  }

  return {
    get size() {
      return kept.length;
    },
    keep(event) {
      kept.push(event);
      const dropped = kept.length > EVENTS_MAX ? kept.shift() : undefined;
      if (dropped !== undefined) onDropped(dropped);
      schedule();
    },
    start() {
      running = true;
      schedule();
    },
    stop() {
      running = false;
      timer?.cancel();
      timer = null;
    },
  };
}
