/** What keeps sensors of one parking gateway from being heard, by cause; the listener is told the first one, and when there is none. */
import type { SensorListener } from './sensor-source.js';

export interface Faults {
  set(cause: string, reason: string): void;
  clear(cause: string): void;
  /** The listener hears nothing more. */
  close(): void;
}

export function createFaults(listener: Pick<SensorListener, 'onFault'>): Faults {
  const reasons = new Map<string, string>();
  let isClosed = false;
  const tell = () => {
    if (isClosed) return;
    const [first] = reasons.values();
    listener.onFault(first ?? null);
  };
  return {
    set(cause, reason) {
      reasons.set(cause, reason);
      tell();
    },
    clear(cause) {
      reasons.delete(cause);
      tell();
    },
    close() {
      isClosed = true;
    },
  };
}
