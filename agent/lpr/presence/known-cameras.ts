/** Keeps what the prober knows of each camera since the agent started: whether the camera is there, and what is wrong with it. */
import type { Logger } from '../../../shared/logger.js';
import { type CameraCondition, PROBLEM_LENGTH_MAX } from '../../../shared/uplink-reports.js';
import { cleanText } from '../formats/camera-text-parser.js';
import { type CameraPresence, UNKNOWN_CAMERA } from './decide-camera-status.js';

export interface KnownCamera {
  /** null: the camera was not looked at yet. */
  presence: CameraPresence | null;
  /** Why the camera does not work as it should, for people; null: no problem is known. */
  problem: string | null;
  /** Why the gateway, which listens to the camera, cannot hear it; null: it can, or does not listen. */
  fault: string | null;
  /** Such as `auth`; undefined: the camera is simply online, or not there. */
  condition: CameraCondition | undefined;
  /** The latest look at the camera. The result of an earlier look that is still under way does not count. */
  look: symbol | null;
}

export interface KnownCameras {
  get(deviceId: string): Readonly<KnownCamera> | undefined;
  /** Begins a look at a camera, and returns a function that says whether this look is still the latest one. */
  beginLook(deviceId: string): () => boolean;
  setPresence(deviceId: string, presence: CameraPresence): void;
  setCondition(deviceId: string, condition: CameraCondition | undefined): void;
  setProblem(deviceId: string, problem: string | null): void;
  /** Notes a fault, which is also the problem until the next look. */
  setFault(deviceId: string, fault: string | null): void;
  /** Forgets all other cameras. */
  keepOnly(deviceIds: ReadonlySet<string>): void;
}

/** Logs a status or a problem when it changes. */
export function createKnownCameras(logger: Logger): KnownCameras {
  const cameras = new Map<string, KnownCamera>();

  function entryOf(deviceId: string): KnownCamera {
    let entry = cameras.get(deviceId);
    if (entry === undefined) {
      entry = { presence: null, problem: null, fault: null, condition: undefined, look: null };
      cameras.set(deviceId, entry);
    }
    return entry;
  }

  function setProblem(deviceId: string, found: string | null): void {
    const problem = found === null ? null : cleanText(found, PROBLEM_LENGTH_MAX);
    if (problem === (cameras.get(deviceId)?.problem ?? null)) return;
    entryOf(deviceId).problem = problem;
    if (problem === null) logger.info({ camera: deviceId }, 'camera works as it should again');
    else logger.warn({ camera: deviceId, problem }, 'camera does not work as it should');
  }

  return {
    get: (deviceId) => cameras.get(deviceId),
    beginLook(deviceId) {
      const entry = entryOf(deviceId);
      const look = Symbol(deviceId);
      entry.look = look;
      entry.presence ??= UNKNOWN_CAMERA;
      return () => cameras.get(deviceId)?.look === look;
    },
    setPresence(deviceId, presence) {
      const entry = entryOf(deviceId);
      const before = entry.presence?.status ?? null;
      entry.presence = presence;
      if (presence.status !== before)
        logger.info({ camera: deviceId, status: presence.status }, 'camera status changed');
    },
    setCondition: (deviceId, condition) => void (entryOf(deviceId).condition = condition),
    setProblem,
    setFault(deviceId, fault) {
      const entry = fault === null ? cameras.get(deviceId) : entryOf(deviceId);
      if (entry !== undefined) entry.fault = fault;
      setProblem(deviceId, fault);
    },
    keepOnly(deviceIds) {
      for (const deviceId of cameras.keys()) if (!deviceIds.has(deviceId)) cameras.delete(deviceId);
    },
  };
}
