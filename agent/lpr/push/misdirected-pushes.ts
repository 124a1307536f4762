/**
 * Keeps the pushes that name no camera of this gateway: of a camera of another gateway of the lot, or with a wrong device id. Whoever is on the
 * network can send any number of them, so that only a few are kept.
 */
import type { Clock } from '../../../shared/clock.js';
import { HOUR_MS } from '../../../shared/durations.js';
import { keepNewest } from '../../../shared/keep-newest.js';
import { cleanText } from '../formats/camera-text-parser.js';

const KEPT_MAX = 8;
const NAME_LENGTH_MAX = 64;

/** The last push of this name from this address. */
export interface MisdirectedPush {
  /** The device id in the push address. */
  camera: string;
  from: string;
}

export interface MisdirectedPushes {
  note(push: MisdirectedPush): void;
  /** Those of the last hour that name none of the cameras, the newest last. @param isKnown whether there is such a camera by now */
  list(isKnown: (deviceId: string) => boolean): MisdirectedPush[];
}

export function createMisdirectedPushes(clock: Pick<Clock, 'monotonic'>): MisdirectedPushes {
  const kept = new Map<string, MisdirectedPush & { mono_ms: number }>();
  return {
    note({ camera: name, from }) {
      const camera = cleanText(name, NAME_LENGTH_MAX);
      if (camera === '') return;
      const key = JSON.stringify([camera, from]);
      kept.delete(key);
      kept.set(key, { camera, from, mono_ms: clock.monotonic() });
      keepNewest(kept, KEPT_MAX);
    },
    list: (isKnown) =>
      [...kept.values()].flatMap(({ camera, from, mono_ms }) =>
        clock.monotonic() - mono_ms > HOUR_MS || isKnown(camera) ? [] : [{ camera, from }],
      ),
  };
}
