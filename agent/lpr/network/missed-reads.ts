/**
 * Asks a camera that keeps its reads for those of an outage, each time it is heard again. What it tells is of the past: it is kept, and opens
 * nothing.
 */
import type { Clock } from '../../../shared/clock.js';
import type { CameraRead, SourceListener } from '../camera.js';

/** How many are taken of one outage: the oldest first. */
const CAUGHT_UP_MAX = 500;
/** Reads that are remembered, so that none is taken twice. */
const HEARD_MAX = 500;
/** Asked for again, because the last moments before an outage may have been lost. */
const OVERLAP_MS = 10_000;
/** A plate that was told already has the same second. */
const SAME_MS = 2_000;

export interface MissedReads {
  /** A read came. */
  note(read: CameraRead): void;
  /** The camera was heard. */
  onHeard(): void;
  /** It is heard again. Rejects when it cannot be asked: it is asked for the same outage the next time. */
  catchUp(signal: AbortSignal): Promise<void>;
}

/** @param deps.ask what the camera kept since then, oldest first; empty: nothing, or it tells of no memory */
export function createMissedReads(deps: {
  clock: Clock;
  listener: Pick<SourceListener, 'onRead'>;
  ask(since_ms: number, signal: AbortSignal): Promise<CameraRead[]>;
}): MissedReads {
  const { clock, listener } = deps;
  /** When the camera was last heard, by the gateway's clock; null: not since it is listened to. */
  let last_heard_ms: number | null = null;
  /** From when on it is to be asked what it read; it remains so while it does not answer. */
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
