/**
 * Listens to the cameras that do not push. It opens a source for each camera whose driver has one, closes the source when the camera is
 * removed or changed, and handles what it hears as the push listener does.
 */
import { type BoundedLog, createBoundedLog } from '../../../shared/bounded-log.js';
import type { Clock } from '../../../shared/clock.js';
import { cameraSettingProblems } from '../../../shared/drivers/camera-drivers.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { Logger } from '../../../shared/logger.js';
import type { CameraDrivers, CameraSource, SourceListener } from '../camera.js';
import type { CameraStates } from '../presence/camera-states.js';
import { malformedPush, type Quarantine } from '../push/quarantine.js';
import type { PlateReads } from '../reads/plate-reads.js';

/** How many reads of one camera are stored at once; the source waits before it brings more. */
const READS_AT_ONCE = 8;
/** How many reads of a source that cannot wait are stored at once; further reads are lost. A broker does not wait. */
const READS_MAX = 64;

export interface CameraSourcesDeps {
  cameras: () => Iterable<CameraItem>;
  drivers: CameraDrivers;
  plateReads: Pick<PlateReads, 'handle'>;
  quarantine: Quarantine;
  states: Pick<CameraStates, 'recordPush' | 'recordRefusal' | 'recordUnderstood'>;
  /** Takes the reason why a camera cannot be heard; null: it is heard again. */
  onFault(deviceId: string, reason: string | null): void;
  clock: Clock;
  logger: Logger;
}

export interface CameraSources {
  /** Notes that the configuration of cameras changed. */
  camerasChanged(): void;
  /** The device_ids of the cameras that are listened to. */
  listening(): string[];
  close(): Promise<void>;
}

interface Listened {
  /** The settings of the camera as text. A change opens a new source. */
  settings: string;
  source: CameraSource;
  stop(): void;
}

export function createCameraSources(deps: CameraSourcesDeps): CameraSources {
  const { drivers, logger } = deps;
  const listened = new Map<string, Listened>();
  const ending = new Set<Promise<void>>();
  const outsiders = createBoundedLog(deps);
  let isClosed = false;

  function end(deviceId: string): void {
    const ended = listened.get(deviceId);
    if (ended === undefined) return;
    listened.delete(deviceId);
    ended.stop();
    const closed: Promise<void> = ended.source
      .close()
      .catch((error: unknown) =>
        logger.error({ err: error, camera: deviceId }, 'the source of a camera could not be closed'),
      )
      .finally(() => ending.delete(closed));
    ending.add(closed);
  }

  function begin(camera: CameraItem, settings: string): void {
    const open = drivers.get(camera.driver)?.source;
    if (open === undefined || cameraSettingProblems(camera.driver, camera).length > 0) return;
    const { listener, stop } = createSourceListener(camera, deps, outsiders);
    const source = open(camera, listener);
    if (source !== null) listened.set(camera.device_id, { settings, source, stop });
  }

  function camerasChanged(): void {
    if (isClosed) return;
    const cameras = new Map([...deps.cameras()].map((camera) => [camera.device_id, camera]));
    for (const [deviceId, { settings }] of listened) {
      const camera = cameras.get(deviceId);
      if (camera === undefined || settingsOf(camera) !== settings) end(deviceId);
    }
    for (const camera of cameras.values()) {
      if (!listened.has(camera.device_id)) begin(camera, settingsOf(camera));
    }
  }

  camerasChanged();
  return {
    camerasChanged,
    listening: () => [...listened.keys()],
    async close() {
      isClosed = true;
      for (const deviceId of listened.keys()) end(deviceId);
      await Promise.all(ending);
    },
  };
}

/** Handles what one camera sends, until it is stopped. */
function createSourceListener(
  camera: CameraItem,
  deps: Pick<CameraSourcesDeps, 'plateReads' | 'quarantine' | 'states' | 'onFault'>,
  outsiders: BoundedLog,
): { listener: SourceListener; stop(): void } {
  const { plateReads, quarantine, states } = deps;
  const { device_id } = camera;
  let isOver = false;
  const handling = new Set<Promise<unknown>>();
  const listener: SourceListener = {
    async onRead(read) {
      if (isOver) return;
      states.recordPush(device_id);
      states.recordUnderstood(device_id);
      if (handling.size >= READS_MAX) {
        outsiders
          .from(device_id)
          .warn({ camera: device_id }, 'a read was lost: the camera sends faster than reads are stored');
        return;
      }
      const handled = plateReads.handle(device_id, read);
      const tracked = handled.finally(() => handling.delete(tracked));
      handling.add(tracked);
      // The source reads on while there is room, so that a slow disk does not hold up a vehicle.
      if (handling.size >= READS_AT_ONCE) await Promise.race(handling);
    },
    onAlive() {
      if (!isOver) states.recordPush(device_id);
    },
    onMalformed(malformed) {
      if (isOver) return;
      const { reason } = malformed;
      states.recordRefusal(device_id, `a message was not understood: ${reason}`, { kind: 'not_understood', reason });
      outsiders.from(device_id).warn({ camera: device_id, reason }, 'a message of the camera was not understood');
      void quarantine.add(malformedPush(camera, malformed));
    },
    onFault(reason) {
      if (!isOver) deps.onFault(device_id, reason);
    },
  };
  return {
    listener,
    stop() {
      isOver = true;
      deps.onFault(device_id, null);
    },
  };
}

function settingsOf(camera: CameraItem): string {
  const { id, driver, address, username, password, push_key, push_without_key, timezone, mapping } = camera;
  const pushes = [push_key === '', push_without_key];
  return JSON.stringify([id, driver, address, username, password, pushes, timezone, mapping ?? null]);
}
