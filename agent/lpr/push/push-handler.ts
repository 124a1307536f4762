/** Handles a parsed push: its reads are decided and stored, and a push that could not be read is put into quarantine. */
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { Logger } from '../../../shared/logger.js';
import { LOST_CHARACTER } from '../../../shared/plate/normalise-plate.js';
import type { CameraDrivers, CameraPush, CameraRead, ParsedPush } from '../camera.js';
import type { CameraStates } from '../presence/camera-states.js';
import type { PlateReads } from '../reads/plate-reads.js';
import type { ReadResult } from '../reads/read-keeper.js';
import { malformedPush, type Quarantine } from './quarantine.js';

export interface PushHandlerDeps {
  drivers: CameraDrivers;
  /** All cameras, among which the camera of a recorder's channel is found. */
  cameras: () => Iterable<CameraItem>;
  plateReads: Pick<PlateReads, 'handle'>;
  quarantine: Quarantine;
  states: Pick<CameraStates, 'recordPush' | 'recordRefusal' | 'recordUnderstood'>;
  logger: Logger;
}

type PostedBody = Pick<CameraPush, 'contentType' | 'body'>;

export interface PushHandler {
  /** Resolves with false when a read could not be stored: the camera has to send the push again. */
  handle(parsed: ParsedPush, camera: CameraItem, posted: PostedBody): Promise<boolean>;
  /** Decides a read whose pictures are still arriving. The whole push is handled later, as a repeat of the read. */
  handleEarly(camera: CameraItem, read: CameraRead): void;
}

export function createPushHandler(deps: PushHandlerDeps): PushHandler {
  const { quarantine, states, logger } = deps;

  async function putAside(camera: CameraItem, posted: PostedBody, reason: string): Promise<void> {
    states.recordRefusal(camera.device_id, `a push was not understood: ${reason}`, { kind: 'not_understood', reason });
    const isKept = await quarantine.add(malformedPush(camera, { ...posted, reason }));
    if (isKept) logger.warn({ camera: camera.device_id, reason }, 'malformed push put in quarantine');
  }

  /** null: no camera is configured for the recorder's channel that saw the vehicle. */
  function handleRead(camera: CameraItem, read: CameraRead): Promise<ReadResult> | null {
    const seenBy = cameraOfChannel(camera, read, deps);
    return seenBy === null ? null : deps.plateReads.handle(seenBy.device_id, read);
  }

  /** Resolves with whether the read is kept: stored, or put aside. */
  async function keepRead(camera: CameraItem, read: CameraRead, posted: PostedBody): Promise<boolean> {
    if (isPlateCertain(read)) {
      const handled = handleRead(camera, read);
      if (handled !== null) return (await handled) !== 'not_stored';
      const channels = read.channels?.join(' or ');
      const reason = `channel ${channels} of this recorder is no camera here: give one its address with ?channel=`;
      await putAside(camera, posted, reason);
    } else {
      const reason = 'characters of the plate are not of the character set that the push declares';
      await putAside(camera, posted, reason);
    }
    return true;
  }

  return {
    async handle(parsed, camera, posted) {
      states.recordPush(camera.device_id);
      if (parsed.kind === 'malformed') await putAside(camera, posted, parsed.reason);
      if (parsed.kind !== 'read') return true;
      states.recordUnderstood(camera.device_id);
      const reads = [parsed.read, ...(parsed.more ?? [])];
      const kept = await Promise.all(reads.map((read) => keepRead(camera, read, posted)));
      return !kept.includes(false);
    },
    handleEarly(camera, read) {
      if (isPlateCertain(read)) void handleRead(camera, read);
    },
  };
}

/** Without the characters that were lost, a plate may be that of another vehicle. */
const isPlateCertain = ({ raw_plate }: CameraRead): boolean => !raw_plate.includes(LOST_CHARACTER);

/** A recorder posts the reads of all its channels to the address of one camera. null: no camera is configured for the channel. */
function cameraOfChannel(
  camera: CameraItem,
  { channels }: CameraRead,
  { drivers, cameras }: Pick<PushHandlerDeps, 'drivers' | 'cameras'>,
): CameraItem | null {
  const channelOf = drivers.get(camera.driver)?.channelOf;
  const own = channelOf?.(camera) ?? null;
  if (channelOf === undefined || own === null || channels === undefined || channels.includes(own)) return camera;
  const host = new URL(camera.address).host;
  for (const other of cameras()) {
    if (other.driver !== camera.driver || !URL.canParse(other.address) || new URL(other.address).host !== host)
      continue;
    const channel = channelOf(other);
    if (channel !== null && channels.includes(channel)) return other;
  }
  return null;
}
