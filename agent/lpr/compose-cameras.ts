/** Composes the rooms of the cameras: their presence, and the way of their reads. */
import type { Clock } from '../../shared/clock.js';
import type { Uid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { CameraReport } from '../../shared/uplink-reports.js';
import type { AccessRules } from '../access/access-rules.js';
import type { AgentStore } from '../store/agent-store.js';
import type { CameraDrivers } from './camera.js';
import type { CameraClient } from './network/camera-client.js';
import { createPictureFetcher } from './network/picture-fetcher.js';
import { createCameraClocks } from './presence/camera-clocks.js';
import { createCameraProber } from './presence/camera-prober.js';
import { createCameraStates } from './presence/camera-states.js';
import { createMisdirectedPushes } from './push/misdirected-pushes.js';
import type { Quarantine } from './push/quarantine.js';
import { createPlateReads, type PlateReadsDeps } from './reads/plate-reads.js';
import { createReadWatch } from './reads/read-watch.js';
import { createSeenReads } from './reads/seen-reads.js';
import { createCameraSources } from './sources/camera-sources.js';

interface CameraPorts {
  cameraDrivers: CameraDrivers;
  store: AgentStore;
  clock: Clock;
  logger: Logger;
}

export type Cameras = ReturnType<typeof composeCameras>;
export type Reads = ReturnType<typeof composeReads>;

/** Begins the first round of probes. */
export function composeCameras(
  { cameraDrivers: drivers, store, clock, logger }: CameraPorts,
  of: {
    cameras: AccessRules['cameras'];
    clockOk(): boolean;
    intervalMs: number;
    publish(cameras: CameraReport[]): void;
  },
) {
  const { cameras, clockOk, intervalMs, publish } = of;
  const states = createCameraStates(clock, store.boot.clock_floor_ms);
  const clocks = createCameraClocks({ store, drivers, clock, clockOk, logger });
  const prober = createCameraProber({ cameras, drivers, states, clock, clockOk, logger, intervalMs, publish });
  return { states, clocks, prober, misdirected: createMisdirectedPushes(clock) };
}

type OwnOfReads =
  | 'store'
  | 'clock'
  | 'logger'
  | 'fetchPicture'
  | 'states'
  | 'clocks'
  | 'onSeen'
  | 'onRefined'
  | 'onPicture';

/** Builds the plate story, and listens to the cameras that do not push. @param of.onVehicle called with each new read and sighting */
export function composeReads(
  ports: CameraPorts & { cameraClient: CameraClient; quarantine: Quarantine },
  of: Omit<PlateReadsDeps, OwnOfReads> & {
    cameras: Cameras;
    isClockKnown(): boolean;
    /** Whether somebody dealt with the vehicle of a read. */
    isHandled(uid: Uid): boolean;
    onVehicle(isDecided: boolean): void;
  },
) {
  const { cameraDrivers: drivers, cameraClient: client, quarantine, store, clock, logger } = ports;
  const { rules, cameras } = of;
  const watch = createReadWatch(clock);
  const seen = createSeenReads({ clock, isClockKnown: of.isClockKnown, isHandled: of.isHandled });
  const camerasById = new Map([...rules.cameras()].map((camera) => [camera.id, camera]));
  seen.load(store.boot.latest, (id) => camerasById.get(id));
  const plateReads = createPlateReads({
    rules,
    sessions: of.sessions,
    recent: of.recent,
    stamp: of.stamp,
    newUid: of.newUid,
    newEventId: of.newEventId,
    store,
    commander: of.commander,
    sensors: of.sensors,
    isHeldClosed: of.isHeldClosed,
    images: of.images,
    fetchPicture: createPictureFetcher({ client, camera: rules.camera, clock }),
    states: cameras.states,
    clocks: cameras.clocks,
    clock,
    isOnline: of.isOnline,
    logger,
    onCommitted: of.onCommitted,
    tracer: of.tracer,
    onSeen(read) {
      watch.note(read);
      seen.note(read);
      of.onVehicle(read.decided !== null);
    },
    onRefined: seen.noteRefined,
    onPicture: seen.notePicture,
  });
  const cameraSources = createCameraSources({
    cameras: rules.cameras,
    drivers,
    plateReads,
    quarantine,
    states: cameras.states,
    onFault: cameras.prober.setFault,
    clock,
    logger,
  });
  return { plateReads, cameraSources, watch, seen };
}
