/**
 * Stores reads: one transaction for the read, then its pictures. It recognises the repeats of cameras that got no answer, so that no
 * read is decided again, whether it is stored, being stored, or refused by the store.
 */
import type { Clock } from '../../../shared/clock.js';
import type { Uid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { ImageRole, Lane, PlateReadRecord } from '../../../shared/uplink.js';
import type { HeardMessage, RecentReads, VendorEvent } from '../../access/recent-reads.js';
import type { AgentStore, RecordStamp } from '../../store/agent-store.js';
import type { CameraPictures, CameraRead } from '../camera.js';
import type { FetchPicture } from '../network/picture-fetcher.js';
import type { Images } from '../pictures/images.js';
import { createStoreRetrier } from './store-retrier.js';
import { keepNewest } from '../../../shared/keep-newest.js';

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
  /** By which its repeats and refinements are known. */
  event: VendorEvent;
  write: () => Promise<void>;
}

/** What was told before with the id of a read. */
export interface KnownEvent {
  event: VendorEvent;
  /** null: it is stored. */
  waiting: KeptRead | null;
}

export interface ReadKeeper {
  /** Says which pictures will follow, with the uids that they will have. */
  announce(cameraDeviceId: string, pictures: CameraPictures): AnnouncedImages;
  /** Finds what was told with the vendor's id of this read, stored or not, and is of the same vehicle; null: nothing that is remembered. */
  find(cameraDeviceId: string, read: CameraRead, isSame: (event: VendorEvent) => boolean): KnownEvent | null;
  /** Takes up that the vehicle was told of again: pictures that its read announced and did not bring are sent. */
  noteHeard(known: KnownEvent, message: HeardMessage, pictures: CameraPictures): void;
  /** Resolves with the result for a vendor's repeat. Never rejects. */
  handleRepeat(known: KnownEvent, pictures: CameraPictures): Promise<ReadResult>;
  /** `write` begins before this returns. Never rejects. */
  keep(read: KeptRead): Promise<ReadResult>;
  /** Writes a refinement behind its read and the refinements before it. Never rejects. */
  keepRefinement(readUid: Uid, key: Uid, write: () => Promise<void>): Promise<ReadResult>;
  /** Writes what must be stored after its read and the read's refinements. Resolves when it is stored, or waits until the store recovers. */
  keepAfter(readUid: Uid, key: string, write: () => Promise<void>): Promise<void>;
  /** Waits for writes and pictures under way. */
  close(): Promise<void>;
}

export interface ReadKeeperDeps extends ReadPicturesDeps {
  recent: RecentReads;
  clock: Clock;
  newUid: () => Uid;
}

export function createReadKeeper(deps: ReadKeeperDeps): ReadKeeper {
  const { recent, clock, logger } = deps;
  const readPictures = createReadPictures(deps);
  const retrier = createStoreRetrier({ clock, logger });
  const waiting = new Map<string, KeptRead>();
  /** Reads whose pictures come later. */
  const unpictured = new WeakMap<VendorEvent, KeptRead>();
  /** Read -> its newest refinement that is not stored yet. */
  const refining = new Map<Uid, Uid>();

  function attempt(read: KeptRead): Promise<boolean> {
    return retrier.attempt(read.uid, async () => {
      try {
        await read.write();
      } catch (error) {
        read.pictures = null;
        throw error;
      }
      const { camera_device_id, vendor_event_id, event } = read;
      if (vendor_event_id !== null) {
        recent.addVendorEvent(camera_device_id, vendor_event_id, event);
        const key = vendorKey(camera_device_id, vendor_event_id);
        if (waiting.get(key) === read) waiting.delete(key);
      }
      deps.onCommitted(read.lane);
      readPictures.startSending(read);
    });
  }

  /** Tries to store what is missing of a read and its refinements; true when nothing is missing any more. */
  const storedAgain = (readUid: Uid): Promise<boolean> => retrier.retry(refining.get(readUid) ?? readUid);

  function rememberWaiting(read: KeptRead): void {
    if (read.vendor_event_id === null) return;
    waiting.set(vendorKey(read.camera_device_id, read.vendor_event_id), read);
    keepNewest(waiting, WAITING_MAX);
  }

  return {
    announce: (cameraDeviceId, pictures) =>
      readPictures.roles(cameraDeviceId, pictures).map((role) => ({ uid: deps.newUid(), role })),
    find(cameraDeviceId, { vendor_event_id }, isSame) {
      if (vendor_event_id === null) return null;
      const read = waiting.get(vendorKey(cameraDeviceId, vendor_event_id));
      if (read !== undefined && isSame(read.event)) return { event: read.event, waiting: read };
      const event = recent.vendorEvents(cameraDeviceId, vendor_event_id).find(isSame);
      return event === undefined ? null : { event, waiting: null };
    },
    noteHeard({ event, waiting: unstored }, message, pictures) {
      const { heard } = event;
      // What is older is a repeat, which does not say that the vehicle still stands there.
      if (heard !== null && (message.camera_ms ?? 0) >= (heard.last.camera_ms ?? 0)) heard.last = message;
      const read = unpictured.get(event);
      if (read === undefined || isEmpty(pictures)) return;
      unpictured.delete(event);
      if (readPictures.roles(read.camera_device_id, pictures).length === 0) return;
      if (unstored === null) readPictures.startSending({ ...read, pictures });
      else unstored.pictures = pictures;
    },
    handleRepeat({ event, waiting: read }, pictures) {
      if (read === null) {
        return event.read === null ? Promise.resolve('duplicate') : storedAgain(event.read.uid).then(repeatOf);
      }
      read.pictures ??= pictures;
      return attempt(read)
        .then((isStored) => isStored && storedAgain(read.uid))
        .then(repeatOf);
    },
    async keep(read) {
      rememberWaiting(read);
      const { pictures, event } = read;
      if (pictures?.follow !== undefined && isEmpty(pictures)) unpictured.set(event, read);
      return (await attempt(read)) ? 'stored' : 'not_stored';
    },
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
    async close() {
      await retrier.close();
      await readPictures.sent();
    },
  };
}

interface ReadPicturesDeps {
  store: Pick<AgentStore, 'appendImage'>;
  images: Images;
  /** Left out: no picture is fetched. */
  fetchPicture?: FetchPicture | undefined;
  logger: Logger;
  stamp: (uid: Uid) => RecordStamp;
  onCommitted: (lane: Lane) => void;
}

/** Sends the pictures of stored reads, in the background: those that came, and those that the camera only offers. */
function createReadPictures({ store, images, logger, ...deps }: ReadPicturesDeps) {
  const sending = new Set<Promise<void>>();

  /** The pictures, with the one that the camera offers where it sent none. */
  async function withFetched(cameraDeviceId: string, pictures: CameraPictures): Promise<CameraPictures> {
    const { full_address } = pictures;
    if (!offersFull(pictures) || full_address === undefined) return pictures;
    return { ...pictures, full: (await deps.fetchPicture?.(cameraDeviceId, full_address)) ?? null };
  }

  /** Which pictures will follow; a picture that is offered may still turn out to be none. */
  function roles(cameraDeviceId: string, pictures: CameraPictures): ImageRole[] {
    if (pictures.follow !== undefined && isEmpty(pictures)) return [...pictures.follow];
    const announced = new Set(images.announce(cameraDeviceId, pictures));
    if (deps.fetchPicture === undefined || !offersFull(pictures)) return [...announced];
    announced.add('full');
    if (pictures.plate_box !== null) announced.add('cropped');
    return [...announced];
  }

  async function sendImages({ uid, camera_device_id, announced, pictures }: KeptRead): Promise<void> {
    if (pictures === null || announced.length === 0) return;
    const whole = await withFetched(camera_device_id, pictures);
    for (const prepared of await images.prepare(camera_device_id, whole)) {
      const image = announced.find(({ role }) => role === prepared.role);
      if (image === undefined) continue;
      await store.appendImage({ ...deps.stamp(image.uid), owner_uid: uid, ...prepared });
      deps.onCommitted(2);
    }
  }

  function startSending(read: KeptRead): void {
    const sent = sendImages(read)
      .catch((error: unknown) => logger.warn({ err: error, uid: read.uid }, 'pictures of a read could not be kept'))
      .finally(() => sending.delete(sent));
    sending.add(sent);
  }

  /** Resolves when no picture is under way. */
  const sent = async (): Promise<void> => void (await Promise.all(sending));

  return { roles, startSending, sent };
}

const isEmpty = ({ full, plate, full_address }: CameraPictures): boolean =>
  full === null && plate === null && full_address === undefined;

const offersFull = ({ full, full_address }: CameraPictures): boolean => full === null && full_address !== undefined;

const repeatOf = (isStored: boolean): ReadResult => (isStored ? 'duplicate' : 'not_stored');

function vendorKey(cameraDeviceId: string, vendorEventId: string): string {
  return `${cameraDeviceId} ${vendorEventId}`;
}
