/** Keeps the last vehicle of each camera, the last ones without a plate, and those that were refused: within bounds, and without their pictures. */
import { type AskedRule, askedRules } from '../../../shared/access/explain-access.js';
import type { ReadDirection } from '../../../shared/access/resolve-direction.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { Uid } from '../../../shared/ids.js';
import type { PlateReadRecord, PlateRefinedRecord } from '../../../shared/uplink.js';
import type { LatestRecord } from '../../store/latest-records.js';
import { createRefusedReads } from './refused-reads.js';

/** The bound for all cameras together; one camera never has more than half of it. */
const SIGHTINGS_MAX = 24;
const CAMERAS_MAX = 64;

/** A read with its decision, or a sighting without one. */
export interface SeenEntry {
  uid: Uid;
  camera: CameraItem;
  /** When the vehicle was there, wall milliseconds. */
  event_ms: number;
  /** The same by the monotonic clock; null: it is of before the start, and its age is only known by the wall clock. */
  seenMonoMs: number | null;
  direction: ReadDirection;
  /** null: a sighting. */
  decided: SeenDecision | null;
}

interface SeenDecision {
  plate: string;
  decision: string | null;
  reason: string | null;
  opens_product_id: number | null;
  /** The rules that were asked, with what each saw; none: nothing is kept of them. */
  rules: readonly AskedRule[];
}

export interface SeenEntries {
  keep(entry: SeenEntry): void;
  /** Notes that a camera refined a reading, which may be decided otherwise now. */
  refine(record: PlateRefinedRecord): void;
  last(cameraDeviceId: string): SeenEntry | undefined;
  /** The newest first. */
  sightings(): SeenEntry[];
  sighting(uid: string): SeenEntry | undefined;
  /** The newest first. */
  refused(): SeenEntry[];
  refusedRead(uid: string): SeenEntry | undefined;
  uids(): Set<Uid>;
}

/** @param isHandled whether somebody dealt with the vehicle of a read */
export function createSeenEntries(isHandled: (uid: Uid) => boolean): SeenEntries {
  /** The last thing that each camera saw; the camera that saw something last is at the end. */
  const last = new Map<string, SeenEntry>();
  /** The newest last. */
  const sightings = new Map<string, SeenEntry>();
  const refused = createRefusedReads<SeenEntry>(isHandled);

  function keepSighting(entry: SeenEntry): void {
    sightings.set(entry.uid, entry);
    const ofCamera = [...sightings.values()].filter(({ camera }) => camera.device_id === entry.camera.device_id);
    const [oldest] = ofCamera.length > SIGHTINGS_MAX / 2 ? ofCamera : sightings.values();
    const isTooMany = ofCamera.length > SIGHTINGS_MAX / 2 || sightings.size > SIGHTINGS_MAX;
    if (isTooMany && oldest !== undefined) sightings.delete(oldest.uid);
  }

  return {
    keep(entry) {
      const { camera, decided } = entry;
      last.delete(camera.device_id);
      last.set(camera.device_id, entry);
      const [first] = last.keys();
      if (last.size > CAMERAS_MAX && first !== undefined) last.delete(first);
      if (decided === null) keepSighting(entry);
      else refused.note(entry);
    },
    refine({ reading_uid, reading, decided }) {
      if (decided === null) return;
      const known = [...last.values(), ...refused.all()].filter(({ uid }) => uid === reading_uid);
      for (const entry of new Set(known)) {
        Object.assign(entry, { direction: reading.direction, decided: decidedOf({ reading, ...decided }) });
        refused.note(entry);
      }
    },
    last: (cameraDeviceId) => last.get(cameraDeviceId),
    sightings: () => [...sightings.values()].toReversed(),
    sighting: (uid) => sightings.get(uid),
    refused: () => refused.all().toReversed(),
    refusedRead: refused.of,
    uids: () => new Set([...sightings.values(), ...last.values(), ...refused.all()].map(({ uid }) => uid)),
  };
}

/** Remembers what the store kept of before this start. @param cameraOf finds a camera by its id */
export function loadSeenEntries(
  entries: SeenEntries,
  latest: readonly LatestRecord[],
  cameraOf: (id: number) => CameraItem | undefined,
): void {
  for (const { uid, payload } of latest) {
    if (payload.kind === 'plate_refined') entries.refine(payload);
    if (payload.kind !== 'plate_read' && payload.kind !== 'sighting') continue;
    const { lpr_camera_id, event_ms, direction } = payload.kind === 'sighting' ? payload : payload.reading;
    const camera = cameraOf(lpr_camera_id);
    if (camera === undefined) continue;
    const decided = payload.kind === 'sighting' ? null : decidedOf(payload);
    entries.keep({ uid, camera, event_ms, direction, decided, seenMonoMs: null });
  }
}

const decidedOf = (
  of: Pick<PlateReadRecord, 'reading' | 'access_decision' | 'access_decision_reason' | 'opening' | 'trace'>,
): SeenEntry['decided'] => ({
  plate: of.reading.plate,
  decision: of.access_decision,
  reason: of.access_decision_reason,
  opens_product_id: of.opening?.product_id ?? null,
  rules: of.trace === undefined ? [] : askedRules(of.trace, of),
});
