/**
 * Stores reads: one transaction for the read, then its pictures. It recognises the repeats of cameras that got no answer, so that no
 * read is decided again, whether it is stored, being stored, or refused by the store.
 */
import type { Clock } from '../../../shared/clock.js';
import type { Uid } from '../../../shared/ids.js';
import { keepNewest } from '../../../shared/keep-newest.js';
import type { Lane } from '../../../shared/uplink.js';
import type { HeardMessage, RecentReads, VendorEvent } from '../../access/recent-reads.js';
import type { CameraPictures, CameraRead } from '../camera.js';
import {
  type AnnouncedImages,
  createReadPictures,
  isEmpty,
  type PicturedRead,
  type ReadPicturesDeps,
} from './read-pictures.js';
import { createStoreRetrier, type StoreRetrier } from './store-retrier.js';

/** How many reads that the store refused are remembered, so that their repeats are recognised. */
const WAITING_MAX = 2_000;

/** `not_stored`: the decision stands and is carried out, but the camera must send the read again so that it is stored. */
export type ReadResult = 'stored' | 'duplicate' | 'not_stored' | 'unknown_camera';

/** A decided read (or a sighting) on its way into the store. */
export interface KeptRead extends PicturedRead {
  vendor_event_id: string | null;
  lane: Lane;
  /** Identifies its repeats and refinements. */
  event: VendorEvent;
  write: () => Promise<void>;
}

/** An earlier event of a camera with the id of a read. */
export interface KnownEvent {
  event: VendorEvent;
  /** The read while it is not stored; null: it is stored. */
  waiting: KeptRead | null;
}

export interface ReadKeeper extends Pick<LaterWrites, 'keepRefinement' | 'keepAfter'> {
  /** Says which pictures will follow, with the uids that they will have. */
  announce(cameraDeviceId: string, pictures: CameraPictures): AnnouncedImages;
  /**
   * Finds what the camera sent before with the vendor's id of this read, stored or not.
   * @param isSame whether the event is of the same vehicle
   * @returns null when nothing of the same vehicle is remembered
   */
  find(cameraDeviceId: string, read: CameraRead, isSame: (event: VendorEvent) => boolean): KnownEvent | null;
  /** Notes that the camera sent the vehicle again. Pictures that its read announced and did not bring are sent. */
  noteHeard(known: KnownEvent, message: HeardMessage, pictures: CameraPictures): void;
  /** Resolves with the result for a vendor's repeat. Never rejects. */
  handleRepeat(known: KnownEvent, pictures: CameraPictures): Promise<ReadResult>;
  /** `write` begins before this returns. Never rejects. */
  keep(read: KeptRead): Promise<ReadResult>;
  /** Waits for writes and pictures under way. */
  close(): Promise<void>;
}

export interface ReadKeeperDeps extends ReadPicturesDeps {
  recent: RecentReads;
  clock: Clock;
}

export function createReadKeeper(deps: ReadKeeperDeps): ReadKeeper {
  const readPictures = createReadPictures(deps);
  const retrier = createStoreRetrier(deps);
  const { storedAgain, keepRefinement, keepAfter } = createLaterWrites(retrier);
  const events = createKnownEvents(deps.recent);
  /** The reads whose pictures come later. */
  const unpictured = new WeakMap<VendorEvent, KeptRead>();

  function attempt(read: KeptRead): Promise<boolean> {
    return retrier.attempt(read.uid, async () => {
      try {
        await read.write();
      } catch (error) {
        read.pictures = null;
        throw error;
      }
      events.noteStored(read);
      deps.onCommitted(read.lane);
      readPictures.startSending(read);
    });
  }

  return {
    announce: readPictures.announce,
    find: events.find,
    noteHeard({ event, waiting: unstored }, message, pictures) {
      const { heard } = event;
      // An older message is a repeat, which does not say that the vehicle still stands there.
      if (heard !== null && (message.camera_ms ?? 0) >= (heard.last.camera_ms ?? 0)) heard.last = message;
      const read = unpictured.get(event);
      if (read === undefined || isEmpty(pictures)) return;
      unpictured.delete(event);
      if (readPictures.announce(read.camera_device_id, pictures).length === 0) return;
      if (unstored === null) readPictures.startSending({ ...read, pictures });
      else unstored.pictures = pictures;
    },
    async handleRepeat({ event, waiting: read }, pictures) {
      if (read !== null) {
        read.pictures ??= pictures;
        if (!(await attempt(read))) return 'not_stored';
      }
      const uid = read?.uid ?? event.read?.uid;
      return uid === undefined || (await storedAgain(uid)) ? 'duplicate' : 'not_stored';
    },
    async keep(read) {
      events.noteWaiting(read);
      const { pictures, event } = read;
      if (pictures?.follow !== undefined && isEmpty(pictures)) unpictured.set(event, read);
      return (await attempt(read)) ? 'stored' : 'not_stored';
    },
    keepRefinement,
    keepAfter,
    async close() {
      await retrier.close();
      await readPictures.sent();
    },
  };
}

/** Finds the reads of cameras by the vendor's id, from their arrival on. */
function createKnownEvents(recent: RecentReads) {
  /** The reads that are not stored yet, by camera and vendor's id. */
  const waiting = new Map<string, KeptRead>();
  return {
    find(
      cameraDeviceId: string,
      { vendor_event_id }: Pick<CameraRead, 'vendor_event_id'>,
      isSame: (event: VendorEvent) => boolean,
    ): KnownEvent | null {
      if (vendor_event_id === null) return null;
      const read = waiting.get(vendorKey(cameraDeviceId, vendor_event_id));
      if (read !== undefined && isSame(read.event)) return { event: read.event, waiting: read };
      const event = recent.vendorEvents(cameraDeviceId, vendor_event_id).find(isSame);
      return event === undefined ? null : { event, waiting: null };
    },
    noteWaiting(read: KeptRead): void {
      if (read.vendor_event_id === null) return;
      waiting.set(vendorKey(read.camera_device_id, read.vendor_event_id), read);
      keepNewest(waiting, WAITING_MAX);
    },
    noteStored(read: KeptRead): void {
      const { camera_device_id, vendor_event_id, event } = read;
      if (vendor_event_id === null) return;
      recent.addVendorEvent(camera_device_id, vendor_event_id, event);
      const key = vendorKey(camera_device_id, vendor_event_id);
      if (waiting.get(key) === read) waiting.delete(key);
    },
  };
}

interface LaterWrites {
  /** Tries to store the read and its refinements as far as they are not stored; resolves with true when all of them are. */
  storedAgain(readUid: Uid): Promise<boolean>;
  /** Writes a refinement after its read and the refinements before it. Never rejects. */
  keepRefinement(readUid: Uid, key: Uid, write: () => Promise<void>): Promise<ReadResult>;
  /** Writes something after its read and the refinements of the read. Resolves when it is stored, or queued until the store recovers. */
  keepAfter(readUid: Uid, key: string, write: () => Promise<void>): Promise<void>;
}

/** Writes, in order, the records that may be stored only after their read. */
function createLaterWrites(retrier: StoreRetrier): LaterWrites {
  /** By the uid of the read: its newest refinement that is not stored yet. */
  const refining = new Map<Uid, Uid>();
  const storedAgain = (readUid: Uid): Promise<boolean> => retrier.retry(refining.get(readUid) ?? readUid);
  return {
    storedAgain,
    async keepRefinement(readUid, key, write) {
      const before = refining.get(readUid) ?? readUid;
      refining.set(readUid, key);
      keepNewest(refining, WAITING_MAX);
      const isStored = await retrier.attempt(key, async () => {
        if (!(await retrier.retry(before))) throw new Error(`what must be stored before it is not: ${before}`);
        await write();
        if (refining.get(readUid) === key) refining.delete(readUid);
      });
      return isStored ? 'stored' : 'not_stored';
    },
    async keepAfter(readUid, key, write) {
      if (await storedAgain(readUid)) await retrier.attempt(key, write);
      else retrier.enqueue(key, write);
    },
  };
}

function vendorKey(cameraDeviceId: string, vendorEventId: string): string {
  return `${cameraDeviceId} ${vendorEventId}`;
}
