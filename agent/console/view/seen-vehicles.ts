/** The vehicles that cameras saw, as the page shows them. */
import type { KeptRead, SeenReads } from '../../lpr/reads/seen-reads.js';
import type { RememberedSighting } from './build-local-view.js';
import type { ReadView } from './local-view.js';

/** The end is told to so many milliseconds: measured by a clock of its own, it would else change with each look. */
const SHOWN_TO_MS = 10_000;

const pictureOf = ({ uid, has_picture }: KeptRead): string | null => (has_picture ? uid : null);
const timeOf = ({ event_ms }: KeptRead): string => new Date(event_ms).toISOString();

/** The last vehicle of each camera that saw one since the agent started. @param cameras by their device_ids */
export function lastReadsOf(seen: Pick<SeenReads, 'last'>, cameras: Iterable<string>): Map<string, ReadView> {
  const reads = [...cameras].flatMap((deviceId): [string, ReadView][] => {
    const read = seen.last(deviceId);
    return read === null ? [] : [[deviceId, readView(read)]];
  });
  return new Map(reads);
}

function readView(read: KeptRead): ReadView {
  const { uid, direction, decided } = read;
  return {
    uid,
    at: timeOf(read),
    plate: decided?.plate ?? null,
    direction,
    access_decision: decided?.decision ?? null,
    access_decision_reason: decided?.reason ?? null,
    picture_uid: pictureOf(read),
  };
}

/** @param of.now_ms by the clock that the page is told. @param of.letInMs for how long a vehicle can be let in */
export const sightingsOf = (
  seen: Pick<SeenReads, 'sightings'>,
  { now_ms, letInMs }: { now_ms: number; letInMs: number },
): RememberedSighting[] =>
  seen.sightings().map((sighting) => {
    const leftMs = letInMs - sighting.age_ms;
    const until = Math.floor((now_ms + leftMs) / SHOWN_TO_MS) * SHOWN_TO_MS;
    return {
      uid: sighting.uid,
      at: timeOf(sighting),
      camera_device_id: sighting.camera.device_id,
      direction: sighting.direction,
      can_be_let_in_until: leftMs > 0 ? new Date(until).toISOString() : null,
      picture_uid: pictureOf(sighting),
    };
  });
