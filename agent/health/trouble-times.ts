/**
 * Notes when faults began that nothing else dates: of Bluetooth, store and clock, and those that products report. A fault that is there at the
 * first look has no beginning.
 */
import { type Clock, every } from '../../shared/clock.js';
import type { RadioHealth } from '../product/radio-health.js';
import { productKey } from './decide-own-troubles.js';

const LOOK_EVERY_MS = 5_000;

export interface TroubleTimes {
  /** For how long each of them has been wrong, in seconds, by its key. */
  wrongForS(): Record<string, number>;
  close(): void;
}

export interface TroubleSights {
  radio: () => RadioHealth;
  isStoreFailed: () => boolean;
  isClockKnown: () => boolean;
  products: () => readonly { device_id: string; errors: number | null; state: string | null }[];
}

/** Names what is wrong now. */
function wrongNow({ radio, isStoreFailed, isClockKnown, products }: TroubleSights): string[] {
  const { state, adapters } = radio();
  return [
    ...(state !== 'on' || adapters.some((each) => each.state !== 'on') ? ['radio'] : []),
    ...(isStoreFailed() ? ['store'] : []),
    ...(isClockKnown() ? [] : ['clock']),
    ...products()
      .filter((product) => (product.errors ?? 0) !== 0 || product.state === 'error')
      .map(({ device_id }) => productKey(device_id)),
  ];
}

/** Looks every few seconds, and when it is asked. */
export function createTroubleTimes(
  deps: TroubleSights & { clock: Clock; onError: (error: unknown) => void },
): TroubleTimes {
  const { clock, onError } = deps;
  /** Monotonic milliseconds; null: it was so at the first look. */
  const began = new Map<string, number | null>();
  let isFirst = true;
  const look = () => {
    const wrong = new Set(wrongNow(deps));
    for (const key of began.keys()) if (!wrong.has(key)) began.delete(key);
    for (const key of wrong) if (!began.has(key)) began.set(key, isFirst ? null : clock.monotonic());
    isFirst = false;
  };
  look();
  const looking = every({ clock, periodMs: LOOK_EVERY_MS, work: look, onError });
  return {
    wrongForS() {
      look();
      return Object.fromEntries(
        [...began].flatMap(([key, at]) => (at === null ? [] : [[key, Math.round((clock.monotonic() - at) / 1_000)]])),
      );
    },
    close: () => looking.cancel(),
  };
}
