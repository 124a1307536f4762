/**
 * Remembers earlier reads for the next one: by the vendors' own ids, to find the read that a repeat or a refinement belongs to, and by plate,
 * to debounce. It keeps them for 24 h, and 10,000 ids for each camera, as the store does.
 */
import { PASSAGE_MS, type PreviousRead, TRIES_AGAIN_MS } from '../../shared/access/decide-access.js';
import type { Uid } from '../../shared/ids.js';
import { differsByLetter } from '../../shared/plate/match-plate.js';
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import type { RecentRead } from '../store/agent-store.js';

const KEPT_MS = 24 * 3_600_000;
const VENDOR_IDS_PER_CAMERA_MAX = 10_000;
const PLATES_MAX = 20_000;
const READS_PER_PLATE_MAX = 16;
/** How many reads of all plates are compared with what another camera of their product sees. */
const LATEST_MAX = 64;
/** How many vehicles with one id of a camera are told apart. */
const EVENTS_PER_ID_MAX = 8;

/** A read that later ones are debounced against. */
export interface DebounceRead {
  uid: Uid;
  camera_device_id: string;
  /** Normalised. */
  plate: string;
  direction: 'in' | 'out';
  event_ms: number;
  /** The monotonic time of its arrival; null for a late report and for a read of an earlier start. */
  received_mono_ms: number | null;
  /** Its direction is that of its camera's position; false for a read of an earlier start. */
  by_position: boolean;
  /** Whether it let its vehicle in or out; false for a read of an earlier start. */
  admitted: boolean;
}

/** A read that is compared with earlier ones. */
export type ComparedRead = Pick<
  DebounceRead,
  'camera_device_id' | 'plate' | 'direction' | 'event_ms' | 'received_mono_ms' | 'by_position'
>;

interface Remembered extends DebounceRead {
  opening_failed: boolean;
}

/** When a camera sent a message about a vehicle. */
export interface HeardMessage {
  /** By the camera's clock; null: it sent no time. */
  camera_ms: number | null;
  /** The monotonic time of its arrival. */
  mono_ms: number;
}

/** An event that a camera sent with one of its own ids. A camera that counts from the beginning again uses an id for several vehicles. */
export interface VendorEvent {
  /** The read that was stored for it; null for a sighting. */
  read: RecentRead | null;
  /** The first and the last message of it; null: they were of an earlier start. */
  heard: { first: HeardMessage; last: HeardMessage } | null;
}

export interface RecentReads {
  /** Remembers that a camera's event was stored. */
  addVendorEvent(cameraDeviceId: string, vendorEventId: string, event: VendorEvent): void;
  /** The events that were stored with this id of the camera, the newest first. */
  vendorEvents(cameraDeviceId: string, vendorEventId: string): readonly VendorEvent[];
  /** Remembers a read that was not itself debounced. */
  add(read: DebounceRead): void;
  /** Removes a read under its earlier plate and direction, because it was refined. */
  forget(uid: Uid): void;
  /** Notes whether the opening after a read failed, as far as it is known now. */
  setOpeningFailed(uid: Uid, failed: boolean): void;
  /**
   * Says how a read follows earlier ones.
   * - `previous`: the read that this one may repeat, at one of the cameras `sees` accepts: the nearest in time of this plate, unless it was of
   *   the other direction and its camera knew that; where the plate was not read within `within_ms` or a passage, the nearest of a plate that
   *   looks like it, at another camera. A read whose vehicle a person let out is repeated by none: it tries again.
   * - `let_out`: whether this is an exit, and a person let the plate out a moment before.
   */
  before(
    read: ComparedRead,
    among: { sees: (cameraDeviceId: string) => boolean; within_ms: number },
  ): { previous: PreviousRead | null; let_out: boolean };
}

/**
 * @param unknownOpenings readings whose opening has no outcome, because the gateway stopped; they count as failed, so that nobody
 * waits before a closed barrier
 * @param letOutMs when a person let the vehicle of a read through, wall milliseconds; null: nobody did
 */
export function createRecentReads(
  boot: RecentRead[],
  unknownOpenings: ReadonlySet<Uid>,
  letOutMs: (uid: Uid) => number | null,
): RecentReads {
  const vendorEvents = createVendorEvents();
  const debounceReads = createDebounceReads(letOutMs);
  for (const read of boot) {
    const { uid, camera_device_id, vendor_event_id, direction, event_ms } = read;
    if (vendor_event_id !== null) vendorEvents.add(camera_device_id, vendor_event_id, { read, heard: null });
    if (read.debounced || direction === 'undefined') continue;
    const plate = normalisePlate(read.plate);
    debounceReads.add(
      {
        uid,
        camera_device_id,
        plate,
        direction,
        event_ms,
        received_mono_ms: null,
        by_position: false,
        admitted: false,
      },
      unknownOpenings.has(uid),
    );
  }
  return {
    addVendorEvent: vendorEvents.add,
    vendorEvents: vendorEvents.of,
    add: (read) => debounceReads.add(read, false),
    forget: debounceReads.forget,
    setOpeningFailed: debounceReads.setOpeningFailed,
    before: debounceReads.before,
  };
}

/** The events of cameras, by the camera and its own id. */
function createVendorEvents() {
  const idsOf = new Map<string, Map<string, VendorEvent[]>>();
  return {
    add(camera: string, vendorEventId: string, event: VendorEvent): void {
      let ids = idsOf.get(camera);
      if (ids === undefined) idsOf.set(camera, (ids = new Map()));
      const events = [event, ...(ids.get(vendorEventId) ?? [])];
      // A row that the store refused at first may be stored behind later ones, such as a sighting behind the reading
      // that it became.
      events.sort((a, b) => beganMonoMs(b) - beganMonoMs(a) || Number(b.read !== null) - Number(a.read !== null));
      ids.delete(vendorEventId);
      ids.set(vendorEventId, events.slice(0, EVENTS_PER_ID_MAX));
      const now = heardMonoMs(event);
      for (const [oldest, [newest]] of ids) {
        const isAged = newest === undefined || now - heardMonoMs(newest) > KEPT_MS;
        if (ids.size <= VENDOR_IDS_PER_CAMERA_MAX && !isAged) break;
        ids.delete(oldest);
      }
    },
    of: (camera: string, vendorEventId: string) => idsOf.get(camera)?.get(vendorEventId) ?? [],
  };
}

/** The reads that later ones are debounced against, by plate. */
function createDebounceReads(letOutMs: (uid: Uid) => number | null) {
  const byPlate = new Map<string, Remembered[]>();
  const byUid = new Map<Uid, Remembered>();
  /** Those of now, the newest last. */
  let latest: Remembered[] = [];

  const letOutAt = ({ uid, direction }: Remembered) => (direction === 'out' ? letOutMs(uid) : null);
  function forgetAll(reads: Remembered[]): void {
    for (const read of reads) byUid.delete(read.uid);
  }

  return {
    add(read: DebounceRead, openingFailed: boolean): void {
      const remembered = { ...read, opening_failed: openingFailed };
      const reads = byPlate.get(read.plate) ?? [];
      reads.push(remembered);
      if (reads.length > READS_PER_PLATE_MAX) forgetAll(reads.splice(0, 1));
      // The plate is deleted and set again, so that the plate that was not seen for the longest time stands first.
      byPlate.delete(read.plate);
      byPlate.set(read.plate, reads);
      byUid.set(read.uid, remembered);
      if (read.received_mono_ms !== null) latest = [...latest, remembered].slice(-LATEST_MAX);
      if (byPlate.size > PLATES_MAX) {
        const [oldest] = byPlate;
        if (oldest !== undefined) {
          forgetAll(oldest[1]);
          byPlate.delete(oldest[0]);
        }
      }
    },
    forget(uid: Uid): void {
      const read = byUid.get(uid);
      if (read === undefined) return;
      byUid.delete(uid);
      latest = latest.filter((other) => other !== read);
      const others = (byPlate.get(read.plate) ?? []).filter((other) => other !== read);
      if (others.length > 0) byPlate.set(read.plate, others);
      else byPlate.delete(read.plate);
    },
    setOpeningFailed(uid: Uid, failed: boolean): void {
      const read = byUid.get(uid);
      if (read !== undefined) read.opening_failed = failed;
    },
    before(read: ComparedRead, among: Parameters<RecentReads['before']>[1]): ReturnType<RecentReads['before']> {
      const reads = byPlate.get(read.plate) ?? [];
      const letOuts = reads.map(letOutAt);
      const open = reads.filter((_, index) => letOuts[index] === null);
      const let_out = letOuts.some((at_ms) => at_ms !== null && read.event_ms - at_ms < TRIES_AGAIN_MS);
      return { previous: repeatedBy(read, open, latest, among), let_out: read.direction === 'out' && let_out };
    },
  };
}

/** Returns the read that a read may repeat. @param reads of its plate. @param latest of all plates */
function repeatedBy(
  read: ComparedRead,
  reads: readonly Remembered[],
  latest: readonly Remembered[],
  { sees, within_ms }: Parameters<RecentReads['before']>[1],
): PreviousRead | null {
  const own = nearestTo(read, reads, sees);
  const isRecent = own !== null && own.elapsed_ms < Math.max(within_ms, PASSAGE_MS);
  const alike = isRecent || read.received_mono_ms === null ? null : nearestTo(read, alikeReads(read, latest), sees);
  const nearest = alike ?? own;
  if (nearest === null) return null;
  const { earlier, elapsed_ms } = nearest;
  const isOtherWay = earlier.direction !== read.direction;
  // A read of the other direction is no repeat: the vehicle turned round.
  if (isOtherWay && !isPassage(earlier, read)) return null;
  return {
    elapsed_ms,
    opening_failed: earlier.opening_failed,
    ...(earlier.admitted ? { admitted: true } : {}),
    ...(isOtherWay ? { other_direction: true } : {}),
    ...(alike === null ? {} : { other_plate: true }),
  };
}

/** Returns the read that is nearest in time; the later one if two are equally near. */
function nearestTo(
  read: ComparedRead,
  reads: readonly Remembered[],
  sees: (cameraDeviceId: string) => boolean,
): { earlier: Remembered; elapsed_ms: number } | null {
  let nearest: { earlier: Remembered; elapsed_ms: number } | null = null;
  for (const earlier of reads) {
    const elapsed_ms = elapsedBetween(earlier, read);
    if (nearest !== null && elapsed_ms > nearest.elapsed_ms) continue;
    if (sees(earlier.camera_device_id)) nearest = { earlier, elapsed_ms };
  }
  return nearest;
}

/** The reads of another camera that may be of the same vehicle, whose plate one of the two misread. */
const alikeReads = (read: ComparedRead, reads: readonly Remembered[]): Remembered[] =>
  reads.filter(
    (earlier) =>
      earlier.camera_device_id !== read.camera_device_id &&
      earlier.plate !== read.plate &&
      (earlier.direction === read.direction || isPassage(earlier, read)) &&
      differsByLetter(earlier.plate, read.plate),
  );

/** Says whether two cameras that know no directions may have seen one vehicle that was let through. */
const isPassage = (earlier: Remembered, read: ComparedRead): boolean =>
  earlier.admitted && earlier.by_position && read.by_position && earlier.camera_device_id !== read.camera_device_id;

const beganMonoMs = ({ heard }: VendorEvent): number => heard?.first.mono_ms ?? 0;
const heardMonoMs = ({ heard }: VendorEvent): number => heard?.last.mono_ms ?? 0;

/**
 * The clocks of two cameras at one product may differ by more than the debounce time. So the time between the arrivals of two
 * recent reads counts when it is shorter.
 */
function elapsedBetween(
  a: Pick<DebounceRead, 'event_ms' | 'received_mono_ms'>,
  b: Pick<DebounceRead, 'event_ms' | 'received_mono_ms'>,
): number {
  const byEvent = Math.abs(b.event_ms - a.event_ms);
  if (a.received_mono_ms === null || b.received_mono_ms === null) return byEvent;
  return Math.min(byEvent, Math.abs(b.received_mono_ms - a.received_mono_ms));
}
