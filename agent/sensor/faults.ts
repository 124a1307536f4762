/** What keeps sensors of one parking gateway from being heard, by cause; the listener is told all of it, and when there is nothing. */
import type { SensorListener } from './sensor-source.js';

export interface Faults {
  /** @param which of several things, such as sensors, it is about; left out: there is one */
  set(cause: string, reason: string, which?: string): void;
  clear(cause: string, which?: string): void;
  /** The listener hears nothing more. */
  close(): void;
}

/** So many are told one by one. */
const TOLD_MAX = 5;

/** @param reasons the worst first. @returns null: there is none */
export function tellFaults(reasons: readonly string[]): string | null {
  const more = reasons.length - TOLD_MAX;
  if (reasons.length === 0) return null;
  return [...reasons.slice(0, TOLD_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** @param causes that there may be, the worst first: what silences all sensors before what spoils one */
export function createFaults(listener: Pick<SensorListener, 'onFault'>, causes: readonly string[]): Faults {
  const reasons = new Map(causes.map((cause) => [cause, new Map<string, string>()]));
  let isClosed = false;
  const tell = () => {
    if (!isClosed) listener.onFault(tellFaults([...reasons.values()].flatMap((each) => [...each.values()])));
  };
  return {
    set(cause, reason, which = '') {
      reasons.get(cause)?.set(which, reason);
      tell();
    },
    clear(cause, which = '') {
      reasons.get(cause)?.delete(which);
      tell();
    },
    close() {
      isClosed = true;
    },
  };
}
