/**
 * Remembers what each camera saw last, the last vehicles without a plate, and those that were refused, for people at the local console. It is
 * small: a few entries, and few bytes of pictures. After a restart the entries come from the newest records of the store, without pictures.
 */
import { askedRules } from '../../../shared/access/explain-access.js';
import { resolveDirection } from '../../../shared/access/resolve-direction.js';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { Uid } from '../../../shared/ids.js';
import type { LatestRecord } from '../../store/latest-records.js';
import type { PreparedImage } from '../pictures/images.js';
import type { SeenRead } from './read-watch.js';
import { createSeenEntries, loadSeenEntries, type SeenEntries, type SeenEntry } from './seen-entries.js';

const PICTURE_BYTES_MAX = 512 * 1024;
const PICTURES_BYTES_MAX = 3 * 1024 * 1024;

export interface KeptRead extends Omit<SeenEntry, 'seenMonoMs'> {
  /** How long ago it was; Infinity: it is a read of the past, which came late, or one of before the start while the time is not known. */
  age_ms: number;
  has_picture: boolean;
}

export interface SeenReads {
  note(seen: SeenRead): void;
  noteRefined: SeenEntries['refine'];
  /** Remembers what the store kept of before this start. @param cameraOf finds a camera by its id */
  load(latest: readonly LatestRecord[], cameraOf: (id: number) => CameraItem | undefined): void;
  /** Keeps a picture of one of these: of the vehicle, or as long as there is none of its plate. It comes after the decision. */
  notePicture(uid: Uid, prepared: PreparedImage): void;
  /** The last read or sighting of a camera; null: it has seen nothing that is remembered. */
  last(cameraDeviceId: string): KeptRead | null;
  /** The last sightings, the newest first. */
  sightings(): KeptRead[];
  sighting(uid: string): KeptRead | null;
  /** Refused vehicles that no later read let through, each once, and those that somebody dealt with; the newest first. */
  refused(): KeptRead[];
  refusedRead(uid: string): KeptRead | null;
  /** The JPEG of one of these; null: it has none, or none any more. */
  picture(uid: string): Uint8Array | null;
}

/**
 * @param deps.isClockKnown whether the wall clock is right
 * @param deps.isHandled whether somebody dealt with the vehicle of a read
 */
export function createSeenReads(deps: {
  clock: Clock;
  isClockKnown: () => boolean;
  isHandled: (uid: Uid) => boolean;
}): SeenReads {
  const { clock } = deps;
  const entries = createSeenEntries(deps.isHandled);
  const pictures = createPictures();

  function ageOf({ seenMonoMs, event_ms }: SeenEntry): number {
    if (seenMonoMs !== null) return clock.monotonic() - seenMonoMs;
    const age_ms = clock.now() - event_ms;
    return deps.isClockKnown() && age_ms >= 0 ? age_ms : Infinity;
  }

  function shown(entry: SeenEntry): KeptRead {
    const { seenMonoMs: _mono, ...read } = entry;
    return { ...read, age_ms: ageOf(entry), has_picture: pictures.has(entry.uid) };
  }

  const shownOrNull = (entry: SeenEntry | undefined) => (entry === undefined ? null : shown(entry));

  return {
    noteRefined: entries.refine,
    load: (latest, cameraOf) => loadSeenEntries(entries, latest, cameraOf),
    note({ uid, camera, read, time, decided }) {
      const direction = decided?.direction ?? resolveDirection(read.movement, camera);
      const seenMonoMs = clock.monotonic() - time.age_ms;
      entries.keep({
        uid,
        camera,
        event_ms: time.event_ms,
        seenMonoMs,
        direction,
        decided:
          decided === null
            ? null
            : {
                plate: decided.plate,
                decision: decided.decision.access_decision,
                reason: decided.decision.access_decision_reason,
                opens_product_id: decided.opening?.product_id ?? null,
                rules: askedRules(decided.trace, decided.decision),
              },
      });
      pictures.keepOnly(entries.uids());
    },
    notePicture(uid, { role, jpeg, thumbnail }) {
      if (!entries.uids().has(uid) || (role === 'cropped' && pictures.has(uid))) return;
      const fits = [jpeg, thumbnail].find((each) => each !== null && each.length <= PICTURE_BYTES_MAX);
      // It may be a part of the camera's whole push, which would stay in memory with it.
      if (fits) pictures.keep(uid, Uint8Array.from(fits));
    },
    last: (cameraDeviceId) => shownOrNull(entries.last(cameraDeviceId)),
    sightings: () => entries.sightings().map(shown),
    sighting: (uid) => shownOrNull(entries.sighting(uid)),
    refused: () => entries.refused().map(shown),
    refusedRead: (uid) => shownOrNull(entries.refusedRead(uid)),
    picture: (uid) => pictures.get(uid as Uid),
  };
}

/** The pictures of the newest entries, within their bytes. */
function createPictures() {
  const kept = new Map<Uid, Uint8Array>();
  return {
    has: (uid: Uid) => kept.has(uid),
    get: (uid: Uid) => kept.get(uid) ?? null,
    /** Forgets the pictures of all others. */
    keepOnly(known: ReadonlySet<Uid>): void {
      for (const each of kept.keys()) if (!known.has(each)) kept.delete(each);
    },
    keep(uid: Uid, jpeg: Uint8Array): void {
      kept.delete(uid);
      kept.set(uid, jpeg);
      let bytes = [...kept.values()].reduce((sum, { length }) => sum + length, 0);
      for (const [each, { length }] of kept) {
        if (bytes <= PICTURES_BYTES_MAX) return;
        kept.delete(each);
        bytes -= length;
      }
    },
  };
}
