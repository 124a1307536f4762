/** Keeps the reasons why sensors of one parking gateway cannot be heard, by cause. Each change is reported to the listener. */
import type { SensorListener } from './sensor-source.js';

export interface Faults {
  /** @param which thing of several, such as which sensor; left out: the cause concerns one thing */
  set(cause: string, reason: string, which?: string): void;
  clear(cause: string, which?: string): void;
  /** The listener hears nothing more. */
  close(): void;
}

/** How many reasons are named; the others are counted. */
const SHOWN_MAX = 5;

/** @param reasons the worst first. @returns one text for people; null: there is no reason */
export function faultsText(reasons: readonly string[]): string | null {
  const more = reasons.length - SHOWN_MAX;
  if (reasons.length === 0) return null;
  return [...reasons.slice(0, SHOWN_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** @param causes that may come, the worst first: a cause that silences all sensors before one that concerns a single sensor */
export function createFaults(listener: Pick<SensorListener, 'onFault'>, causes: readonly string[]): Faults {
  const reasons = new Map(causes.map((cause) => [cause, new Map<string, string>()]));
  let isClosed = false;
  const notify = () => {
    if (!isClosed) listener.onFault(faultsText([...reasons.values()].flatMap((each) => [...each.values()])));
  };
  return {
    set(cause, reason, which = '') {
      reasons.get(cause)?.set(which, reason);
      notify();
    },
    clear(cause, which = '') {
      reasons.get(cause)?.delete(which);
      notify();
    },
    close() {
      isClosed = true;
    },
  };
}
