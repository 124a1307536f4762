/**
 * The plate story: the gateway decides a camera's read from memory and at once begins to connect to the product. Meanwhile one
 * transaction stores reading, decision, session and the intent to open. Only the answer to the camera waits for that.
 */
import { decideAccess, RETRANSMISSION_MAX_AGE_MS } from '../../../shared/access/decide-access.js';
import { traceOf } from '../../../shared/access/explain-access.js';
import { resolveDirection } from '../../../shared/access/resolve-direction.js';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { EventId, ProductDeviceId, Uid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { FIRST_SPAN, startWatch, type Tracer } from '../../../shared/tracer.js';
import type { Lane, OpeningResultRecord, PlateReadRecord } from '../../../shared/uplink.js';
import type { AccessRules } from '../../access/access-rules.js';
import type { OpenSessions } from '../../access/open-sessions.js';
import type { RecentReads, VendorEvent } from '../../access/recent-reads.js';
import { type CommandOutcome, failedAttempt, type ProductCommander } from '../../product/product-commander.js';
import type { Sensors } from '../../sensor/sensors.js';
import { type AgentStore, recentReadOf, type RecordStamp } from '../../store/agent-store.js';
import type { CameraRead } from '../camera.js';
import type { CameraStates } from '../presence/camera-states.js';
import { boundRead } from './bound-read.js';
import { decideEventTime, type EventTime } from './decide-event-time.js';
import { type ChosenPlate, decidePlate } from './decide-plate.js';
import { decideSameVehicle, type SentMessage } from './decide-same-vehicle.js';
import { type FetchPicture, ownPath } from '../network/picture-fetcher.js';
import type { Images } from '../pictures/images.js';
import type { SeenRead } from './read-watch.js';
import { createProductOpener } from './product-opener.js';
import { type DecidedRead, plateReadRecord, sessionChanges, storedChange } from './plate-record.js';
import { gatherFacts, type ReadFacts } from './read-facts.js';
import { createReadKeeper, type KnownEvent, type ReadResult } from './read-keeper.js';
import { createReadRefiner, type DecidedPlate, type SeenPlate } from './read-refiner.js';

export interface PlateReadsDeps {
  store: Pick<AgentStore, 'boot' | 'recordRead' | 'recordRefinement' | 'recordOutcome' | 'append' | 'appendImage'>;
  commander: ProductCommander;
  rules: AccessRules;
  sessions: OpenSessions;
  recent: RecentReads;
  sensors: Pick<Sensors, 'occupied' | 'hasHeard'>;
  images: Images;
  /** Whether a product is held closed: it is opened for nobody who comes in. */
  isHeldClosed: (deviceId: ProductDeviceId) => boolean;
  /** Left out: pictures that a camera offers instead of sending them are not fetched. */
  fetchPicture?: FetchPicture | undefined;
  states: CameraStates;
  clock: Clock;
  /** Whether the gateway knows the time. */
  clockOk: () => boolean;
  /** Whether the cloud is connected. */
  isOnline: () => boolean;
  stamp: (uid: Uid) => RecordStamp;
  /** Generates a uuid v7. */
  newUid: () => Uid;
  newEventId: () => EventId;
  logger: Logger;
  /** Records of the lane were committed: the uplink has something to send. */
  onCommitted: (lane: Lane) => void;
  /** Left out: nothing is traced. */
  tracer?: Tracer | undefined;
  /** Told of each read of its own, behind its command. Left out: nobody is. */
  onSeen?: ((seen: SeenRead) => void) | undefined;
}

export interface PlateReads {
  /** Decides and opens before it returns; resolves when the read is stored, or cannot be. Never rejects. */
  handle(cameraDeviceId: string, read: CameraRead): Promise<ReadResult>;
  /** Ends all retries, and waits for openings, writes and pictures under way. */
  close(): Promise<void>;
}

/** At the start, an opening whose outcome was never stored is recorded as `unknown`. It is never done again. */
export function createPlateReads(deps: PlateReadsDeps): PlateReads {
  const { store, rules, sessions, recent, states, clock, logger } = deps;
  const { stamp } = deps;
  const keeper = createReadKeeper(deps);
  const opener = createProductOpener({ commander: deps.commander, clock });
  const refiner = createReadRefiner({ ...deps, keeper, decide });
  const opening = new Set<Promise<void>>();

  function recordOutcome(intent: Omit<OpeningResultRecord, 'kind'>): Promise<void> {
    const commit = { ...stamp(deps.newUid()), record: { kind: 'opening_result' as const, ...intent } };
    return keeper.keepAfter(intent.reading_uid, commit.uid, async () => {
      await store.recordOutcome(commit);
      deps.onCommitted(0);
    });
  }

  /**
   * Gives the command before it returns. The outcome is recorded after the read.
   * @param isRefused no command is given: somebody holds the product closed
   */
  function open(
    readingUid: Uid,
    command: Parameters<typeof opener.open>[0],
    { productId, isRefused }: { productId: number; isRefused: boolean },
  ): void {
    const outcome = isRefused
      ? Promise.resolve(failedAttempt(GATEWAY_ERROR.BUSY))
      : opener.open(command, () => recent.setOpeningFailed(readingUid, true));
    const recorded = outcome.then((result) => {
      recent.setOpeningFailed(readingUid, result.outcome === 'failed');
      if (result.outcome === 'failed') {
        const { device_id, event_id } = command;
        logger.warn(
          { uid: readingUid, event_id, device_id, type: result.type },
          isRefused
            ? 'an admitted vehicle stands at an entry that is held closed: it is not opened'
            : 'opening of an admitted vehicle failed',
        );
      }
      return recordOutcome({
        reading_uid: readingUid,
        event_id: command.event_id,
        product_id: productId,
        ...outcomeOf(result),
      });
    });
    const tracked = recorded.finally(() => opening.delete(tracked));
    opening.add(tracked);
  }

  /** Decides the time of the read, and keeps what the read shows of the camera's clock. */
  function judgeTime(camera: CameraItem, read: CameraRead): EventTime {
    const received_ms = clock.now();
    const camera_ms = read.camera_time?.epoch_ms ?? null;
    const time = decideEventTime({
      camera_ms,
      received_ms,
      retransmission: read.retransmission,
      clock_ok: deps.clockOk(),
      known_behind_ms: states.clockBehindMs(camera.device_id),
      contact_ms: states.lastContactMs(camera.device_id),
    });
    if (read.seems_late === true && camera_ms !== null && deps.clockOk())
      time.late_ms = Math.max(0, received_ms - camera_ms);
    // What tells of the past is late however it is dated.
    if (read.history === true) time.age_ms = Infinity;
    if (time.late_ms !== undefined) states.recordLate(camera.device_id, time.late_ms);
    else if (time.camera_behind_ms === null) states.recordPush(camera.device_id);
    else states.recordClock(camera.device_id, { behindMs: time.camera_behind_ms, isDrifting: time.is_drifting });
    return time;
  }

  /** Whether a normalised plate is whitelisted where the camera is, or has a session. */
  function isKnown(camera: CameraItem, plate: string, event_ms: number): boolean {
    const { zone_id, product_device_id } = camera;
    const product_id = product_device_id === null ? null : (rules.product(product_device_id)?.id ?? null);
    return rules.isWhitelisted(plate, { zone_id, product_id, event_ms }) || sessions.own(plate) !== null;
  }

  function choosePlate(camera: CameraItem, read: CameraRead): ChosenPlate | null {
    const { min_confidence } = camera;
    return decidePlate(read, { min_confidence, isKnown: (plate) => isKnown(camera, plate, clock.now()) });
  }

  /** What the camera told before of the same vehicle, with the same id; null: nothing. */
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

  /** The event by which what the camera sends later of the same vehicle is known. */
  function newEvent(read: CameraRead, reading: VendorEvent['read']): VendorEvent {
    const message = { camera_ms: read.camera_time?.epoch_ms ?? null, mono_ms: clock.monotonic() };
    return { read: reading, heard: { first: message, last: message } };
  }

  function handleSighting(camera: CameraItem, read: CameraRead, time: EventTime): Promise<ReadResult> {
    const uid = deps.newUid();
    deps.onSeen?.({ uid, camera, read, time, decided: null });
    const announced = keeper.announce(camera.device_id, read.pictures);
    const payload = {
      kind: 'sighting' as const,
      lpr_camera_id: camera.id,
      zone_id: camera.zone_id,
      direction: resolveDirection(read.movement, camera),
      event_ms: Math.round(time.event_ms),
      time_source: time.time_source,
      images: announced,
    };
    const entry = { ...stamp(uid), lane: 1 as const, payload };
    return keeper.keep({
      uid,
      camera_device_id: camera.device_id,
      vendor_event_id: read.vendor_event_id,
      announced,
      pictures: read.pictures,
      lane: 1,
      event: newEvent(read, null),
      write: async () => void (await store.append(entry)),
    });
  }

  /** Decides, and opens the product before it returns if the decision says so. */
  function decide(seen: SeenPlate): DecidedPlate {
    const { uid, camera, plate, direction, time } = seen;
    const isLate = seen.retransmission && !(time.age_ms <= RETRANSMISSION_MAX_AGE_MS);
    const product = camera.product_device_id === null ? undefined : rules.product(camera.product_device_id);
    const received_mono_ms = isLate ? null : clock.monotonic();
    const known = gatherFacts(
      {
        camera,
        product,
        plate,
        direction,
        time,
        retransmission: seen.retransmission,
        received_ms: clock.now(),
        received_mono_ms,
        new_session_uid: deps.newUid(),
        offline: !deps.isOnline(),
      },
      deps,
    );
    const decision = decideAccess(known.facts);
    let intent: PlateReadRecord['opening'] = null;
    if (product !== undefined) {
      const { device_id } = product;
      if (!isLate) opener.onPlateRead(device_id, plate);
      if (decision.opens) {
        intent = { event_id: deps.newEventId(), product_id: product.id };
        const isRefused = direction === 'in' && deps.isHeldClosed(device_id);
        open(uid, { device_id, event_id: intent.event_id, plate }, { productId: product.id, isRefused });
      }
    }
    if (direction !== 'undefined' && !decision.debounced) {
      const { event_ms } = time;
      recent.add({ uid, camera_device_id: camera.device_id, plate, direction, event_ms, received_mono_ms });
    }
    return { known, decision, trace: traceOf(known.facts, { rule: decision.rule, plate }), opening: intent };
  }

  function handlePlate(camera: CameraItem, read: CameraRead, plate: string, time: EventTime): Promise<ReadResult> {
    const uid = deps.newUid();
    const watch = startWatch(clock);
    const compared = normalisePlate(plate);
    const direction = resolveDirection(read.movement, camera);
    const { retransmission } = read;
    const {
      known,
      decision,
      trace,
      opening: intent,
    } = decide({
      uid,
      camera,
      plate: compared,
      direction,
      time,
      retransmission,
    });
    const images = keeper.announce(camera.device_id, read.pictures);
    const decided = {
      camera,
      read,
      plate,
      direction,
      event_ms: time.event_ms,
      time_source: time.time_source,
      decision,
      trace,
      opening: intent,
      images,
    };
    deps.onSeen?.({ uid, camera, read, time, decided });
    const { access_decision, access_decision_reason } = decision;
    const attributes = {
      camera: camera.device_id,
      decision: `${access_decision}`,
      reason: `${access_decision_reason}`,
    };
    deps.tracer?.add({ uid, name: 'decide', ...watch(), attributes });
    const storing = startWatch(clock);
    return keepPlate(uid, compared, decided, known).then((result) => {
      deps.tracer?.add({ uid, name: 'store', ...storing(), attributes: { result } });
      deps.tracer?.add({ uid, name: FIRST_SPAN, ...watch(), attributes });
      return result;
    });
  }

  function keepPlate(uid: Uid, compared: string, decided: DecidedRead, known: ReadFacts): Promise<ReadResult> {
    const { camera, read, decision, event_ms } = decided;
    const changes = sessionChanges(
      decision.session,
      { plate: compared, zone_id: camera.zone_id, event_ms: Math.round(event_ms) },
      { own: known.own_session, lookAlike: known.look_alike_session },
    );
    for (const change of changes) sessions.change(change);
    const commit = {
      ...stamp(uid),
      record: plateReadRecord(decided),
      camera_device_id: camera.device_id,
      sessions: changes.map(storedChange),
    };
    const kept = keeper.keep({
      uid,
      camera_device_id: camera.device_id,
      vendor_event_id: read.vendor_event_id,
      announced: decided.images,
      pictures: read.pictures,
      lane: 0,
      event: newEvent(read, recentReadOf(commit)),
      write: async () => sessions.committed(changes, await store.recordRead(commit)),
    });
    const { access_decision, access_decision_reason } = decision;
    logger.info({ camera: camera.device_id, uid, access_decision, access_decision_reason }, 'plate read');
    // A plate is personal: the level that stays in a device's log names the reading by its uid.
    logger.debug({ uid, plate: decided.plate }, 'plate that was read');
    return kept;
  }

  function handleNew(camera: CameraItem, read: CameraRead, plate: string | null): Promise<ReadResult> {
    const time = judgeTime(camera, read);
    if (read.opened_by_itself === true) states.recordOwnList(camera.device_id);
    return plate === null ? handleSighting(camera, read, time) : handlePlate(camera, read, plate, time);
  }

  for (const intent of store.boot.intents) {
    void recordOutcome({ ...intent, outcome: 'unknown', gateway_error_type: null });
  }

  return {
    handle(cameraDeviceId, parsed) {
      const camera = rules.camera(cameraDeviceId);
      if (camera === undefined) return Promise.resolve('unknown_camera');
      const bounded = ownPictures(boundRead(parsed), camera);
      const chosen = choosePlate(camera, bounded);
      const read =
        chosen === null ? bounded : { ...bounded, raw_plate: chosen.raw_plate, confidence: chosen.confidence };
      const plate = chosen?.plate ?? null;
      const message: SentMessage = {
        camera_ms: read.camera_time?.epoch_ms ?? null,
        mono_ms: clock.monotonic(),
        now_ms: clock.now(),
        plate,
        tracked: read.tracked === true,
      };
      const known = findKnown(camera, read, message);
      if (known === null) return handleNew(camera, read, plate);
      const { event, isLate } = known;
      keeper.noteHeard(known, message, read.pictures);
      if (event.read !== null) {
        const refined = refiner.refine(camera, read, plate, { reading: event.read, isLate });
        if (refined !== null) return refined;
      }
      // What was a sighting becomes a reading once the camera can read its plate.
      const isReadAtLast = event.read === null && plate !== null && !read.retransmission;
      if (!isReadAtLast) return keeper.handleRepeat(known, read.pictures);
      return handleNew(camera, isLate ? { ...read, retransmission: true, history: true } : read, plate);
    },
    async close() {
      opener.close();
      await Promise.all(opening);
      await keeper.close();
    },
  };
}

/** Takes out an address of a picture that is not the camera's own, so that nothing is announced that will not be fetched. */
function ownPictures(read: CameraRead, camera: CameraItem): CameraRead {
  const { full_address, ...pictures } = read.pictures;
  const path = full_address === undefined ? null : ownPath(full_address, camera);
  return { ...read, pictures: path === null ? pictures : { ...pictures, full_address: path } };
}

function outcomeOf(result: CommandOutcome): Pick<OpeningResultRecord, 'outcome' | 'gateway_error_type'> {
  return result.outcome === 'succeeded'
    ? { outcome: 'succeeded', gateway_error_type: null }
    : { outcome: 'failed', gateway_error_type: result.type };
}
