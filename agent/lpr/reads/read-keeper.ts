/**
 * Stores reads: one transaction for the read, then its pictures. It recognises the repeats of cameras that got no answer, so that no
 * read is decided again, whether it is stored, being stored, or refused by the store.
 */
import type { Clock } from '../../../shared/clock.js';
import type { Uid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { Lane, PlateReadRecord } from '../../../shared/uplink.js';
import type { RecentReads } from '../../access/recent-reads.js';
import type { AgentStore, RecentRead, RecordStamp } from '../../store/agent-store.js';
import type { CameraPictures, CameraRead } from '../camera.js';
import type { Images } from '../pictures/images.js';
import { createStoreRetrier } from './store-retrier.js';

/** How many reads that the store refused are remembered, so that their repeats are recognised. */
const WAITING_MAX = 2_000;

/** `not_stored`: the decision stands and is carried out, but the camera must send the read again so that it is stored. */
export type ReadResult = 'stored' | 'duplicate' | 'not_stored' | 'unknown_camera';

export type AnnouncedImages = PlateReadRecord['reading']['images'];

/** A decided read (or a sighting) on its way into the store. */
export interface KeptRead {
  uid: Uid;
  camera_device_id: string;
  vendor_event_id: string | null;
  announced: AnnouncedImages;
  /** null once the store refused the read: pictures are large, and a repeat brings them again. */
  pictures: CameraPictures | null;
  lane: Lane;
  /** The reading, for its refinements; null for a sighting. */
  reading: RecentRead | null;
  write: () => Promise<void>;
}

export interface ReadKeeper {
  /** Says which pictures will follow, with the uids that they will have. */
  announce(cameraDeviceId: string, pictures: CameraPictures): AnnouncedImages;
  /** Returns the result for a vendor's repeat; null: this event was not seen before. */
  handleRepeat(cameraDeviceId: string, read: CameraRead): Promise<ReadResult> | null;
  /** Finds the reading with the vendor's id of this read, stored or not; null: none is remembered. */
  findReading(cameraDeviceId: string, read: CameraRead): RecentRead | null;
  /** `write` begins before this returns. Never rejects. */
  keep(read: KeptRead): Promise<ReadResult>;
  /** Writes a refinement behind its read and the refinements before it. Never rejects. */
  keepRefinement(readUid: Uid, key: Uid, write: () => Promise<void>): Promise<ReadResult>;
  /** Writes what must be stored after its read and the read's refinements. Resolves when it is stored, or waits until the store recovers. */
  keepAfter(readUid: Uid, key: string, write: () => Promise<void>): Promise<void>;
  /** Waits for writes and pictures under way. */
  close(): Promise<void>;
}

export function createReadKeeper(deps: {
  store: Pick<AgentStore, 'appendImage'>;
  images: Images;
  recent: RecentReads;
  clock: Clock;
  logger: Logger;
  newUid: () => Uid;
  stamp: (uid: Uid) => RecordStamp;
  onCommitted: (lane: Lane) => void;
}): ReadKeeper {
  const { store, images, recent, clock, logger } = deps;
  const retrier = createStoreRetrier({ clock, logger });
  const waiting = new Map<string, KeptRead>();
  const sending = new Set<Promise<void>>();
  /** Read -> its newest refinement that is not stored yet. */
  const refining = new Map<Uid, Uid>();

  async function sendImages({ uid, camera_device_id, announced, pictures }: KeptRead): Promise<void> {
    if (pictures === null || announced.length === 0) return;
    for (const { role, jpeg } of await images.prepare(camera_device_id, pictures)) {
      const image = announced.find((entry) => entry.role === role);
      if (image === undefined) continue;
      await store.appendImage({ ...deps.stamp(image.uid), owner_uid: uid, role, jpeg });
      deps.onCommitted(2);
    }
  }

  function startSending(read: KeptRead): void {
    const sent = sendImages(read)
      .catch((error: unknown) => logger.warn({ err: error, uid: read.uid }, 'pictures of a read could not be kept'))
      .finally(() => sending.delete(sent));
    sending.add(sent);
  }

  function attempt(read: KeptRead): Promise<boolean> {
    return retrier.attempt(read.uid, async () => {
      try {
        await read.write();
      } catch (error) {
        read.pictures = null;
        throw error;
      }
      const { camera_device_id, vendor_event_id } = read;
      if (vendor_event_id !== null) {
        recent.addVendorId(camera_device_id, vendor_event_id, clock.monotonic(), read.reading);
        waiting.delete(vendorKey(camera_device_id, vendor_event_id));
      }
      deps.onCommitted(read.lane);
      startSending(read);
    });
  }

  /** Tries to store what is missing of a read and its refinements; true when nothing is missing any more. */
  const storedAgain = (readUid: Uid): Promise<boolean> => retrier.retry(refining.get(readUid) ?? readUid);

  function rememberWaiting(read: KeptRead): void {
    if (read.vendor_event_id === null) return;
    waiting.set(vendorKey(read.camera_device_id, read.vendor_event_id), read);
    dropOldest(waiting);
  }

  return {
    announce: (cameraDeviceId, pictures) =>
      images.announce(cameraDeviceId, pictures).map((role) => ({ uid: deps.newUid(), role })),
    handleRepeat(cameraDeviceId, { vendor_event_id, pictures }) {
      if (vendor_event_id === null) return null;
      if (recent.hasVendorId(cameraDeviceId, vendor_event_id)) {
        const reading = recent.readOf(cameraDeviceId, vendor_event_id);
        return reading === null ? Promise.resolve('duplicate') : storedAgain(reading.uid).then(repeatOf);
      }
      const read = waiting.get(vendorKey(cameraDeviceId, vendor_event_id));
      if (read === undefined) return null;
      read.pictures ??= pictures;
      return attempt(read)
        .then((isStored) => isStored && storedAgain(read.uid))
        .then(repeatOf);
    },
    findReading(cameraDeviceId, { vendor_event_id }) {
      if (vendor_event_id === null) return null;
      const read = waiting.get(vendorKey(cameraDeviceId, vendor_event_id));
      return read?.reading ?? recent.readOf(cameraDeviceId, vendor_event_id);
    },
    async keep(read) {
      rememberWaiting(read);
      return (await attempt(read)) ? 'stored' : 'not_stored';
    },
    async keepRefinement(readUid, key, write) {
      const before = refining.get(readUid) ?? readUid;
      refining.set(readUid, key);
      dropOldest(refining);
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
    async close() {
      await retrier.close();
      await Promise.all(sending);
    },
  };
}

const repeatOf = (isStored: boolean): ReadResult => (isStored ? 'duplicate' : 'not_stored');

function dropOldest<Key>(waiting: Map<Key, unknown>): void {
  if (waiting.size <= WAITING_MAX) return;
  const [oldest] = waiting.keys();
  if (oldest !== undefined) waiting.delete(oldest);
}

function vendorKey(cameraDeviceId: string, vendorEventId: string): string {
  return `${cameraDeviceId} ${vendorEventId}`;
}
