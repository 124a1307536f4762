/** Sends the pictures of stored reads in the background: pictures that came with a read, and pictures that the camera only offers. */
import type { Uid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { ImageRole, Lane, PlateReadRecord } from '../../../shared/uplink.js';
import type { AgentStore, RecordStamp } from '../../store/agent-store.js';
import type { CameraPictures } from '../camera.js';
import type { FetchPicture } from '../network/picture-fetcher.js';
import type { Images, PreparedImage } from '../pictures/images.js';

export type AnnouncedImages = PlateReadRecord['reading']['images'];

/** A read, with its announced pictures. */
export interface PicturedRead {
  uid: Uid;
  camera_device_id: string;
  announced: AnnouncedImages;
  /** null once the store refused the read: pictures are large, and a repeat brings them again. */
  pictures: CameraPictures | null;
}

export interface ReadPicturesDeps {
  store: Pick<AgentStore, 'appendImage'>;
  images: Images;
  fetchPicture: FetchPicture;
  logger: Logger;
  stamp: (uid: Uid) => RecordStamp;
  newUid: () => Uid;
  onCommitted: (lane: Lane) => void;
  /** Called with each picture as soon as it is prepared, before it is stored. */
  onPicture: (readUid: Uid, prepared: PreparedImage) => void;
}

export interface ReadPictures {
  /** Says which pictures will follow, with the uids that they will have. */
  announce(cameraDeviceId: string, pictures: CameraPictures): AnnouncedImages;
  /** Sends the announced pictures, in the background. */
  startSending(read: PicturedRead): void;
  /** Resolves when no picture is under way. */
  sent(): Promise<void>;
}

export function createReadPictures(deps: ReadPicturesDeps): ReadPictures {
  const { store, images, fetchPicture, logger } = deps;
  const sending = new Set<Promise<void>>();

  /** The roles of the pictures that will follow. A picture that is offered may still turn out not to be there. */
  function rolesOf(cameraDeviceId: string, pictures: CameraPictures): ImageRole[] {
    if (pictures.follow !== undefined && isEmpty(pictures)) return [...pictures.follow];
    const roles = new Set(images.announce(cameraDeviceId, pictures));
    if (!offersFull(pictures)) return [...roles];
    roles.add('full');
    if (pictures.plate_box !== null) roles.add('cropped');
    return [...roles];
  }

  /** Adds the full picture that the camera offers where it sent none. */
  async function withFetched(cameraDeviceId: string, pictures: CameraPictures): Promise<CameraPictures> {
    const { full_address } = pictures;
    if (!offersFull(pictures) || full_address === undefined) return pictures;
    return { ...pictures, full: await fetchPicture(cameraDeviceId, full_address) };
  }

  async function sendImages({ uid, camera_device_id, announced, pictures }: PicturedRead): Promise<void> {
    if (pictures === null || announced.length === 0) return;
    const whole = await withFetched(camera_device_id, pictures);
    for (const prepared of await images.prepare(camera_device_id, whole)) {
      const image = announced.find(({ role }) => role === prepared.role);
      if (image === undefined) continue;
      deps.onPicture(uid, prepared);
      await store.appendImage({ ...deps.stamp(image.uid), owner_uid: uid, ...prepared });
      deps.onCommitted(2);
    }
  }

  return {
    announce: (cameraDeviceId, pictures) =>
      rolesOf(cameraDeviceId, pictures).map((role) => ({ uid: deps.newUid(), role })),
    startSending(read) {
      const sent = sendImages(read)
        .catch((error: unknown) => logger.warn({ err: error, uid: read.uid }, 'pictures of a read could not be kept'))
        .finally(() => sending.delete(sent));
      sending.add(sent);
    },
    sent: async () => void (await Promise.all(sending)),
  };
}

/** Says whether neither a picture nor an address of one came. */
export const isEmpty = ({ full, plate, full_address }: CameraPictures): boolean =>
  full === null && plate === null && full_address === undefined;

const offersFull = ({ full, full_address }: CameraPictures): boolean => full === null && full_address !== undefined;
