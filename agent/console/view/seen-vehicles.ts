/** The vehicles that cameras saw, as the page shows them. */
import { HOUR_MS } from '../../../shared/durations.js';
import type { KeptRead, SeenReads } from '../../lpr/reads/seen-reads.js';
import type { HandledVehicles } from '../../access/handled-vehicles.js';
import type { Remembered } from './build-local-view.js';
import type { ReadView, RefusedView, SightingView } from './local-view.js';

/** For so long refused vehicles are listed. */
const REFUSED_SHOWN_MS = 12 * HOUR_MS;
/** The end is told to so many milliseconds: measured by a clock of its own, it would else change with each look. */
const SHOWN_TO_MS = 10_000;

const pictureOf = ({ uid, has_picture }: KeptRead): string | null => (has_picture ? uid : null);
const timeOf = ({ event_ms }: KeptRead): string => new Date(event_ms).toISOString();

/** The last vehicle of each camera that saw one since the agent started. @param cameras by their device_ids */
export function lastReadsOf(
  seen: Pick<SeenReads, 'last'>,
  cameras: Iterable<string>,
  handled: KnownVehicles,
): Map<string, ReadView> {
  const reads = [...cameras].flatMap((deviceId): [string, ReadView][] => {
    const read = seen.last(deviceId);
    return read === null ? [] : [[deviceId, readView(read, handled)]];
  });
  return new Map(reads);
}

function readView(read: KeptRead, handled: KnownVehicles): ReadView {
  const { uid, direction, decided } = read;
  return {
    uid,
    at: timeOf(read),
    plate: decided?.plate ?? null,
    direction,
    access_decision: decided?.decision ?? null,
    access_decision_reason: decided?.reason ?? null,
    is_opening_unknown: handled.isOpeningUnknown(uid) && handled.of(uid) === null,
    picture_uid: pictureOf(read),
  };
}

type KnownVehicles = Pick<HandledVehicles, 'of' | 'isOpeningUnknown'>;

interface WaitingFacts {
  /** By the clock that the page is told. */
  now_ms: number;
  /** For how long a vehicle can be let in. */
  letInMs: number;
  handled: KnownVehicles;
}

export const sightingsOf = (seen: Pick<SeenReads, 'sightings'>, facts: WaitingFacts): Remembered<SightingView>[] =>
  seen.sightings().map((sighting) => ({
    uid: sighting.uid,
    at: timeOf(sighting),
    direction: sighting.direction,
    picture_uid: pictureOf(sighting),
    ...waitingOf(sighting, facts),
  }));

/** The refused vehicles of the last hours. */
export const refusedOf = (seen: Pick<SeenReads, 'refused'>, facts: WaitingFacts): Remembered<RefusedView>[] =>
  seen
    .refused()
    .filter(({ event_ms }) => facts.now_ms - event_ms < REFUSED_SHOWN_MS)
    .map((read) => ({ ...readView(read, facts.handled), ...waitingOf(read, facts), rules: read.decided?.rules ?? [] }));

function waitingOf(
  { uid, age_ms, camera, direction, decided }: KeptRead,
  { now_ms, letInMs, handled }: WaitingFacts,
): Pick<Remembered<SightingView>, 'camera_device_id' | 'can_be_let_in_until' | 'handled'> {
  const leftMs = letInMs - age_ms;
  const until = Math.floor((now_ms + leftMs) / SHOWN_TO_MS) * SHOWN_TO_MS;
  const done = handled.of(uid);
  const triesAgain = done?.how === 'let_in' && direction === 'out' && decided !== null;
  return {
    camera_device_id: camera.device_id,
    can_be_let_in_until: leftMs > 0 && (done === null || triesAgain) ? new Date(until).toISOString() : null,
    handled: done === null ? null : { how: done.how, by: done.by, at: new Date(done.at_ms).toISOString() },
  };
}
