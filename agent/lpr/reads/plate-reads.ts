/**
 * The plate story: the gateway decides a camera's read from memory, and begins to connect to the product at once. Meanwhile one transaction
 * stores reading, decision, session and the intent to open. Only the answer to the camera waits for that transaction.
 */
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { EventId, ProductDeviceId, Uid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { Tracer } from '../../../shared/tracer.js';
import type { Lane, PlateRefinedRecord } from '../../../shared/uplink.js';
import type { AccessRules } from '../../access/access-rules.js';
import type { OpenSessions } from '../../access/open-sessions.js';
import type { RecentReads } from '../../access/recent-reads.js';
import type { ProductCommander } from '../../product/product-commander.js';
import type { Sensors } from '../../sensor/sensors.js';
import type { AgentStore, RecordStamp } from '../../store/agent-store.js';
import type { CameraRead } from '../camera.js';
import type { CameraClocks } from '../presence/camera-clocks.js';
import type { CameraStates } from '../presence/camera-states.js';
import { boundRead } from './bound-read.js';
import { type ChosenPlate, decidePlate } from './decide-plate.js';
import { decideSameVehicle, type SentMessage } from './decide-same-vehicle.js';
import { type FetchPicture, ownPath } from '../network/picture-fetcher.js';
import type { Images } from '../pictures/images.js';
import type { SeenRead } from './read-watch.js';
import { type ArrivedRead, handleNewRead } from './new-reads.js';
import { createReadDecider } from './read-decider.js';
import { createRecordedOpenings } from './recorded-openings.js';
import { createReadKeeper, type KnownEvent, type ReadResult } from './read-keeper.js';
import type { ReadPicturesDeps } from './read-pictures.js';
import { createReadRefiner } from './read-refiner.js';

export interface PlateReadsDeps {
  store: Pick<AgentStore, 'boot' | 'recordRead' | 'recordRefinement' | 'recordOutcome' | 'append' | 'appendImage'>;
  commander: ProductCommander;
  rules: AccessRules;
  sessions: OpenSessions;
  recent: RecentReads;
  sensors: Pick<Sensors, 'occupied' | 'hasHeard'>;
  images: Images;
  /** Whether a product is held closed: then it is not opened for vehicles that come in. */
  isHeldClosed: (deviceId: ProductDeviceId) => boolean;
  fetchPicture: FetchPicture;
  states: CameraStates;
  clocks: CameraClocks;
  clock: Clock;
  /** Whether the cloud is connected. */
  isOnline: () => boolean;
  stamp: (uid: Uid) => RecordStamp;
  /** Generates a uuid v7. */
  newUid: () => Uid;
  newEventId: () => EventId;
  logger: Logger;
  /** Called when records of the lane were committed: the uplink has something to send. */
  onCommitted: (lane: Lane) => void;
  /** null: nothing is traced. */
  tracer: Tracer | null;
  /** Called with each new read, after the command to open. */
  onSeen: (seen: SeenRead) => void;
  /** Called with each refinement of a reading. */
  onRefined: (record: PlateRefinedRecord) => void;
  /** Called with each picture of a stored read or sighting. */
  onPicture: ReadPicturesDeps['onPicture'];
}

export interface PlateReads {
  /**
   * Decides and opens before it returns, unless the camera has to be asked for its clock first. Resolves when the read is stored, or cannot be
   * stored. Never rejects.
   */
  handle(cameraDeviceId: string, read: CameraRead): Promise<ReadResult>;
  /** Since when each read waits that `handle` has not finished, monotonic milliseconds, the oldest first. */
  sinceMs(): number[];
  /** Ends all retries, and waits for openings, writes and pictures under way. */
  close(): Promise<void>;
}

export function createPlateReads(deps: PlateReadsDeps): PlateReads {
  const { rules, clocks } = deps;
  const keeper = createReadKeeper(deps);
  const openings = createRecordedOpenings(deps, keeper);
  const decide = createReadDecider(deps, openings);
  const refiner = createReadRefiner(deps, { keeper, decide });
  const newReads = { deps, keeper, decide };

  /** Finds the earlier read of the same vehicle with the same id; null: there is none. */
  function findKnown(
    camera: CameraItem,
    read: CameraRead,
    message: SentMessage,
  ): (KnownEvent & { isLate: boolean }) | null {
    let isLate = false;
    const known = keeper.find(camera.device_id, read, (event) => {
      const same = decideSameVehicle(event, message);
      isLate = same === 'late';
      return same !== null;
    });
    return known === null ? null : { ...known, isLate };
  }

  /** Decides and opens before it returns. */
  function handleArrived({ camera, read: parsed, arrival }: ArrivedRead): Promise<ReadResult> {
    const bounded = ownPictures(boundRead(parsed), camera);
    const chosen = choosePlate(camera, bounded, deps);
    const read = chosen === null ? bounded : { ...bounded, raw_plate: chosen.raw_plate, confidence: chosen.confidence };
    const plate = chosen?.plate ?? null;
    const message: SentMessage = {
      camera_ms: read.camera_time?.epoch_ms ?? null,
      mono_ms: arrival.mono_ms,
      now_ms: arrival.wall_ms,
      plate,
      tracked: read.tracked === true,
    };
    const known = findKnown(camera, read, message);
    if (known === null) return handleNewRead(newReads, { camera, read, arrival }, plate);
    const { event } = known;
    const isLate = known.isLate || clocks.peek(camera.device_id, read, arrival).is_late;
    keeper.noteHeard(known, message, read.pictures);
    if (event.read !== null) {
      const refined = refiner.refine(camera, read, plate, { reading: event.read, isLate });
      if (refined !== null) return refined;
    }
    // A sighting becomes a reading once the camera can read the plate.
    const isReadAtLast = event.read === null && plate !== null && !read.retransmission;
    if (!isReadAtLast) return keeper.handleRepeat(known, read.pictures);
    const late = known.isLate ? { ...read, retransmission: true, history: true } : read;
    return handleNewRead(newReads, { camera, read: late, arrival }, plate);
  }

  const underWay = createUnderWay();
  return {
    handle(cameraDeviceId, read) {
      const camera = rules.camera(cameraDeviceId);
      if (camera === undefined) return Promise.resolve('unknown_camera');
      const arrived = { camera, read, arrival: clocks.arrival() };
      const asked = clocks.ask(camera, read, arrived.arrival);
      const handled = asked === null ? handleArrived(arrived) : asked.then(() => handleArrived(arrived));
      return underWay.during(arrived.arrival.mono_ms, handled);
    },
    sinceMs: underWay.sinceMs,
    async close() {
      await clocks.close();
      await openings.close();
      await keeper.close();
    },
  };
}

/** Holds the work that is under way, by when it began. */
function createUnderWay() {
  const begun = new Set<{ sinceMs: number }>();
  return {
    during<T>(sinceMs: number, work: Promise<T>): Promise<T> {
      const each = { sinceMs };
      begun.add(each);
      return work.finally(() => begun.delete(each));
    },
    sinceMs: () => [...begun].map(({ sinceMs }) => sinceMs),
  };
}

/** Removes the address of a picture that is not the camera's own, so that no picture is announced that will not be fetched. */
function ownPictures(read: CameraRead, camera: CameraItem): CameraRead {
  const { full_address, ...pictures } = read.pictures;
  const path = full_address === undefined ? null : ownPath(full_address, camera);
  return { ...read, pictures: path === null ? pictures : { ...pictures, full_address: path } };
}

type PlateMemory = Pick<PlateReadsDeps, 'rules' | 'sessions' | 'clock'>;

/** Says whether a normalised plate is whitelisted where the camera is, or has a session. */
function isKnown(
  plate: string,
  { zone_id, product_device_id }: CameraItem,
  { rules, sessions, clock }: PlateMemory,
): boolean {
  const product_id = product_device_id === null ? null : (rules.product(product_device_id)?.id ?? null);
  return rules.isWhitelisted(plate, { zone_id, product_id, event_ms: clock.now() }) || sessions.own(plate) !== null;
}

function choosePlate(camera: CameraItem, read: CameraRead, memory: PlateMemory): ChosenPlate | null {
  const { min_confidence } = camera;
  return decidePlate(read, { min_confidence, isKnown: (plate) => isKnown(plate, camera, memory) });
}
