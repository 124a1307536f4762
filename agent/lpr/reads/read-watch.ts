/** Shows a person who sets up a camera its next read, and the decision on it. The read does not wait for that person. */
import type { Clock } from '../../../shared/clock.js';
import type { Uid } from '../../../shared/ids.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { CameraRead } from '../camera.js';
import type { EventTime } from './decide-event-time.js';
import type { DecidedRead } from './plate-record.js';

/** How many may wait at once, for all cameras. */
export const WATCHING_MAX = 8;

/** A new read with its decision, or a sighting without one. Repeats and refinements are not shown. */
export interface SeenRead {
  uid: Uid;
  camera: CameraItem;
  read: CameraRead;
  time: EventTime;
  decided: Pick<DecidedRead, 'plate' | 'direction' | 'decision' | 'trace' | 'opening'> | null;
}

export interface ReadWatch {
  /** Resolves the waits for this camera. */
  note(seen: SeenRead): void;
  /** Resolves with the camera's next read; null: none came in time, or the wait was aborted. @throws Error when too many wait */
  next(deviceId: string, options: { withinMs: number; signal?: AbortSignal }): Promise<SeenRead | null>;
  /** How many wait. */
  waiting(): number;
}

export function createReadWatch(clock: Clock): ReadWatch {
  const waiting = new Set<{ deviceId: string; settle: (seen: SeenRead | null) => void }>();
  return {
    waiting: () => waiting.size,
    note(seen) {
      for (const { deviceId, settle } of waiting) if (deviceId === seen.camera.device_id) settle(seen);
    },
    next(deviceId, { withinMs, signal }) {
      if (waiting.size >= WATCHING_MAX)
        return Promise.reject(new Error(`${WATCHING_MAX} others wait for reads: try again when they have ended`));
      return new Promise((resolve) => {
        const timer = clock.setTimer(withinMs, () => settle(null));
        const leave = () => settle(null);
        const watcher = { deviceId, settle };
        function settle(seen: SeenRead | null): void {
          timer.cancel();
          signal?.removeEventListener('abort', leave);
          waiting.delete(watcher);
          resolve(seen);
        }
        waiting.add(watcher);
        signal?.addEventListener('abort', leave, { once: true });
        if (signal?.aborted === true) leave();
      });
    },
  };
}
