/**
 * Remembers what each camera saw last, the last vehicles without a plate, and those that were refused, for people at the local console. It is
 * small: a few entries, and few bytes of pictures. After a restart the entries come from the newest records of the store, without pictures.
 */
import { type ReadDirection, resolveDirection } from '../../../shared/access/resolve-direction.js';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { Uid } from '../../../shared/ids.js';
import type { PlateReadRecord, PlateRefinedRecord } from '../../../shared/uplink.js';
import type { LatestRecord } from '../../store/agent-store.js';
import type { PreparedImage } from '../pictures/images.js';
import type { SeenRead } from './read-watch.js';
import { createRefusedReads } from './refused-reads.js';

/** The bound for all cameras together; one camera never has more than half of it. */
const SIGHTINGS_MAX = 24;
const CAMERAS_MAX = 64;
const PICTURE_BYTES_MAX = 512 * 1024;
const PICTURES_BYTES_MAX = 3 * 1024 * 1024;

/** A read with its decision, or a sighting without one. */
export interface KeptRead {
  uid: Uid;
  camera: CameraItem;
  /** When the vehicle was there, wall milliseconds. */
  event_ms: number;
  /** How long ago it was, on the monotonic clock; Infinity: it is a read of the past, which came late. */
  age_ms: number;
  direction: ReadDirection;
  /** null: a sighting. */
  decided: { plate: string; decision: string | null; reason: string | null; opens_product_id: number | null } | null;
  has_picture: boolean;
}

export interface SeenReads {
  note(seen: SeenRead): void;
  /** Notes that a camera refined a reading, which may be decided otherwise now. */
  noteRefined(record: PlateRefinedRecord): void;
  /** Remembers what the store kept of before this start. @param cameraOf finds a camera by its id */
  load(latest: readonly LatestRecord[], cameraOf: (id: number) => CameraItem | undefined): void;
  /** Keeps a picture of one of these: of the vehicle, or as long as there is none of its plate. It comes after the decision. */
  notePicture(uid: Uid, prepared: PreparedImage): void;
  /** The last read or sighting of a camera; null: it has seen nothing since the start. */
  last(cameraDeviceId: string): KeptRead | null;
  /** The last sightings, the newest first. */
  sightings(): KeptRead[];
  sighting(uid: string): KeptRead | null;
  /** Refused vehicles that no later read let through, the newest first, each once. */
  refused(): KeptRead[];
  refusedRead(uid: string): KeptRead | null;
  /** The JPEG of one of these; null: it has none, or none any more. */
  picture(uid: string): Uint8Array | null;
}

/** `seenMonoMs` null: it is of before the start, and its age is only known by the wall clock. */
type Entry = Omit<KeptRead, 'age_ms' | 'has_picture'> & { seenMonoMs: number | null };

/** @param deps.isClockKnown whether the wall clock is right */
export function createSeenReads(deps: { clock: Clock; isClockKnown: () => boolean }): SeenReads {
  const { clock } = deps;
  /** The last thing that each camera saw; the camera that saw something last is at the end. */
  const last = new Map<string, Entry>();
  /** The newest last. */
  const sightings = new Map<Uid, Entry>();
  const refused = createRefusedReads<Entry>();
  const pictures = createPictures();

  function ageOf({ seenMonoMs, event_ms }: Entry): number {
    if (seenMonoMs !== null) return clock.monotonic() - seenMonoMs;
    const age_ms = clock.now() - event_ms;
    return deps.isClockKnown() && age_ms >= 0 ? age_ms : Infinity;
  }

  function shown(entry: Entry): KeptRead {
    const { seenMonoMs: _mono, ...read } = entry;
    return { ...read, age_ms: ageOf(entry), has_picture: pictures.has(entry.uid) };
  }

  const known = () => new Set([...sightings.keys(), ...[...last.values(), ...refused.all()].map(({ uid }) => uid)]);

  function keepSighting(entry: Entry): void {
    sightings.set(entry.uid, entry);
    const ofCamera = [...sightings.values()].filter(({ camera }) => camera.device_id === entry.camera.device_id);
    const [oldest] = ofCamera.length > SIGHTINGS_MAX / 2 ? ofCamera : sightings.values();
    const isTooMany = ofCamera.length > SIGHTINGS_MAX / 2 || sightings.size > SIGHTINGS_MAX;
    if (isTooMany && oldest !== undefined) sightings.delete(oldest.uid);
  }

  function keep(entry: Entry): void {
    const { camera, decided } = entry;
    last.delete(camera.device_id);
    last.set(camera.device_id, entry);
    const [first] = last.keys();
    if (last.size > CAMERAS_MAX && first !== undefined) last.delete(first);
    if (decided === null) keepSighting(entry);
    else refused.note(entry);
    pictures.keepOnly(known());
  }

  function noteRefined({ reading_uid, reading, decided }: PlateRefinedRecord): void {
    const entries = [...last.values(), refused.of(reading_uid)].filter((each) => each?.uid === reading_uid);
    if (decided === null) return;
    for (const entry of new Set(entries)) {
      if (entry === undefined) continue;
      Object.assign(entry, { direction: reading.direction, decided: decidedOf({ reading, ...decided }) });
      refused.note(entry);
    }
  }

  return {
    noteRefined,
    load(latest, cameraOf) {
      for (const { uid, payload } of latest) {
        if (payload.kind === 'plate_refined') noteRefined(payload);
        if (payload.kind !== 'plate_read' && payload.kind !== 'sighting') continue;
        const seen = payload.kind === 'sighting' ? payload : payload.reading;
        const camera = cameraOf(seen.lpr_camera_id);
        if (camera === undefined) continue;
        const decided = payload.kind === 'sighting' ? null : decidedOf(payload);
        keep({ uid, camera, event_ms: seen.event_ms, direction: seen.direction, decided, seenMonoMs: null });
      }
    },
    note({ uid, camera, read, time, decided }) {
      const direction = decided?.direction ?? resolveDirection(read.movement, camera);
      const seenMonoMs = clock.monotonic() - time.age_ms;
      keep({
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
              },
      });
    },
    notePicture(uid, { role, jpeg, thumbnail }) {
      if (!known().has(uid) || (role === 'cropped' && pictures.has(uid))) return;
      const fits = [jpeg, thumbnail].find((each) => each !== null && each.length <= PICTURE_BYTES_MAX);
      // It may be a part of the camera's whole push, which would stay in memory with it.
      if (fits) pictures.keep(uid, Uint8Array.from(fits));
    },
    last(cameraDeviceId) {
      const entry = last.get(cameraDeviceId);
      return entry === undefined ? null : shown(entry);
    },
    sightings: () => [...sightings.values()].toReversed().map(shown),
    sighting(uid) {
      const entry = sightings.get(uid as Uid);
      return entry === undefined ? null : shown(entry);
    },
    refused: () => refused.all().toReversed().map(shown),
    refusedRead(uid) {
      const entry = refused.of(uid);
      return entry === undefined ? null : shown(entry);
    },
    picture: (uid) => pictures.get(uid as Uid),
  };
}

const decidedOf = ({
  reading,
  ...decided
}: Pick<
  PlateReadRecord,
  'reading' | 'access_decision' | 'access_decision_reason' | 'opening'
>): KeptRead['decided'] => ({
  plate: reading.plate,
  decision: decided.access_decision,
  reason: decided.access_decision_reason,
  opens_product_id: decided.opening?.product_id ?? null,
});

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
