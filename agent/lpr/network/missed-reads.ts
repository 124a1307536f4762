/**
 * Asks a camera with a memory for the reads of an outage, each time the camera is heard again. These reads are of the past: they are
 * recorded, and open nothing.
 */
import type { Clock } from '../../../shared/clock.js';
import type { CameraRead, SourceListener } from '../camera.js';

/** How many reads of one outage are taken, the oldest first. */
const CAUGHT_UP_MAX = 500;
/** How many reads are remembered, so that none is taken twice. */
const HEARD_MAX = 500;
/** The camera is asked for this time before the outage too, because its last moments may have been lost. */
const OVERLAP_MS = 10_000;
/** Two reads of one plate within this time are the same read. */
const SAME_MS = 2_000;

export interface MissedReads {
  /** Notes a read that came. */
  note(read: CameraRead): void;
  /** Notes that the camera was heard. */
  onHeard(): void;
  /** Called when the camera is heard again. Rejects when the camera cannot be asked; it is then asked for the same outage the next time. */
  catchUp(signal: AbortSignal): Promise<void>;
}

/** @param deps.ask returns what the camera kept since then, oldest first; empty: nothing, or the camera has no memory */
export function createMissedReads(deps: {
  clock: Clock;
  listener: Pick<SourceListener, 'onRead'>;
  ask(since_ms: number, signal: AbortSignal): Promise<CameraRead[]>;
}): MissedReads {
  const { clock, listener } = deps;
  /** When the camera was last heard, by the gateway's clock; null: not yet. */
  let last_heard_ms: number | null = null;
  /** The time since which the camera has to be asked for its reads; it stays while the camera does not answer. null: nothing is missing. */
  let owed_since_ms: number | null = null;
  const heard: { plate: string; at_ms: number }[] = [];
  function note({ raw_plate: plate, camera_time }: CameraRead): void {
    if (camera_time !== null) heard.push({ plate, at_ms: camera_time.epoch_ms });
    if (heard.length > HEARD_MAX) heard.shift();
  }
  const isHeard = ({ raw_plate, camera_time }: CameraRead): boolean =>
    camera_time !== null &&
    heard.some(({ plate, at_ms }) => plate === raw_plate && Math.abs(at_ms - camera_time.epoch_ms) <= SAME_MS);
  return {
    note,
    onHeard() {
      last_heard_ms = clock.now();
    },
    async catchUp(signal) {
      owed_since_ms ??= last_heard_ms === null ? null : last_heard_ms - OVERLAP_MS;
      last_heard_ms = clock.now();
      if (owed_since_ms === null) return;
      const kept = await deps.ask(owed_since_ms, signal);
      owed_since_ms = null;
      for (const read of kept.filter((each) => !isHeard(each)).slice(0, CAUGHT_UP_MAX)) {
        note(read);
        await listener.onRead(read);
      }
    },
  };
}
