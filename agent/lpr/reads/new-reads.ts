/** Handles the first read of a vehicle: as a sighting, or as a plate that is decided. */
import { isByPosition, resolveDirection } from '../../../shared/access/resolve-direction.js';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { Uid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { FIRST_SPAN, startWatch, type Tracer } from '../../../shared/tracer.js';
import { type OpenSessions, storedChange } from '../../access/open-sessions.js';
import type { VendorEvent } from '../../access/recent-reads.js';
import { type AgentStore, recentReadOf, type RecordStamp } from '../../store/agent-store.js';
import type { CameraRead } from '../camera.js';
import type { Arrival } from '../presence/camera-clock-machine.js';
import type { CameraClocks } from '../presence/camera-clocks.js';
import type { CameraStates } from '../presence/camera-states.js';
import { decideEventTime, type EventTime } from './decide-event-time.js';
import { type DecidedRead, changeSessions, plateReadRecord } from './plate-record.js';
import type { ReadFacts } from './read-facts.js';
import type { ReadKeeper, ReadResult } from './read-keeper.js';
import type { DecidedPlate, SeenPlate } from './read-refiner.js';
import type { SeenRead } from './read-watch.js';

interface NewReadsDeps {
  states: CameraStates;
  clocks: Pick<CameraClocks, 'judge'>;
  clock: Clock;
  store: Pick<AgentStore, 'recordRead' | 'append'>;
  sessions: OpenSessions;
  stamp: (uid: Uid) => RecordStamp;
  newUid: () => Uid;
  logger: Logger;
  tracer: Tracer | null;
  onSeen: (seen: SeenRead) => void;
}

export interface NewReads {
  deps: NewReadsDeps;
  keeper: Pick<ReadKeeper, 'announce' | 'keep'>;
  /** Decides, and opens the product before it returns if the decision says so. */
  decide: (seen: SeenPlate) => DecidedPlate;
}

/** A read as it arrived at its camera's gateway. */
export interface ArrivedRead {
  camera: CameraItem;
  read: CameraRead;
  arrival: Arrival;
}

interface TimedRead extends ArrivedRead {
  time: EventTime;
}

/** Resolves when the read is stored, or cannot be stored. @param plate null: the camera is not certain enough of any plate */
export function handleNewRead(by: NewReads, arrived: ArrivedRead, plate: string | null): Promise<ReadResult> {
  const { deps } = by;
  const { camera } = arrived;
  const time = judgeTime(arrived, deps);
  // Whatever shows that a read is of the past: from here on it counts like one that the camera sends late.
  const read = time.is_late ? { ...arrived.read, retransmission: true } : arrived.read;
  const timed = { ...arrived, read, time };
  if (read.opened_by_itself === true) deps.states.recordOwnList(camera.device_id);
  deps.states.recordDirection(camera.device_id, !isByPosition(read.movement, camera));
  return plate === null ? handleSighting(by, timed) : handlePlate(by, timed, plate);
}

/** Decides when the read happened, and notes what the read shows of the camera's clock. */
function judgeTime({ camera: { device_id }, read, arrival }: ArrivedRead, deps: NewReadsDeps): EventTime {
  const { states, clocks } = deps;
  const time = decideEventTime({
    judged: clocks.judge(device_id, read, arrival),
    received_ms: arrival.wall_ms,
    retransmission: read.retransmission,
    clock_ok: arrival.is_clock_known,
    contact_ms: states.lastContactMs(device_id),
  });
  if (read.history === true) time.age_ms = Infinity;
  if (time.late_ms !== undefined) states.recordLate(device_id, time.late_ms);
  else if (time.camera_behind_ms === null) states.recordPush(device_id);
  else states.recordClock(device_id, { behindMs: time.camera_behind_ms, isDrifting: time.is_drifting });
  return time;
}

/** The event that later reads of the same vehicle are compared with. */
function newEvent({ read, arrival }: Omit<ArrivedRead, 'camera'>, reading: VendorEvent['read']): VendorEvent {
  const message = { camera_ms: read.camera_time?.epoch_ms ?? null, mono_ms: arrival.mono_ms };
  return { read: reading, heard: { first: message, last: message } };
}

function handleSighting({ deps, keeper }: NewReads, { camera, read, arrival, time }: TimedRead): Promise<ReadResult> {
  const { store } = deps;
  const uid = deps.newUid();
  deps.onSeen({ uid, camera, read, time, decided: null });
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
  const entry = { ...deps.stamp(uid), lane: 1 as const, payload };
  return keeper.keep({
    uid,
    camera_device_id: camera.device_id,
    vendor_event_id: read.vendor_event_id,
    announced,
    pictures: read.pictures,
    lane: 1,
    event: newEvent({ read, arrival }, null),
    write: async () => void (await store.append(entry)),
  });
}

function handlePlate(by: NewReads, { camera, read, arrival, time }: TimedRead, plate: string): Promise<ReadResult> {
  const { deps, keeper, decide } = by;
  const { clock } = deps;
  const uid = deps.newUid();
  const watch = startWatch(clock);
  const seen: SeenPlate = {
    uid,
    camera,
    plate: normalisePlate(plate),
    direction: resolveDirection(read.movement, camera),
    by_position: isByPosition(read.movement, camera),
    time,
    retransmission: read.retransmission,
  };
  const { known, decision, trace, opening } = decide(seen);
  const decided: DecidedRead = {
    camera,
    read,
    plate,
    direction: seen.direction,
    event_ms: time.event_ms,
    time_source: time.time_source,
    decision,
    trace,
    opening,
    images: keeper.announce(camera.device_id, read.pictures),
  };
  deps.onSeen({ uid, camera, read, time, decided });
  const { access_decision, access_decision_reason } = decision;
  const attributes = {
    camera: camera.device_id,
    decision: `${access_decision}`,
    reason: `${access_decision_reason}`,
  };
  deps.tracer?.add({ uid, name: 'decide', ...watch(), attributes });
  const storing = startWatch(clock);
  return keepPlate(by, { seen, decided, known, arrival }).then((result) => {
    deps.tracer?.add({ uid, name: 'store', ...storing(), attributes: { result } });
    deps.tracer?.add({ uid, name: FIRST_SPAN, ...watch(), attributes });
    return result;
  });
}

function keepPlate(
  { deps, keeper }: NewReads,
  {
    seen: { uid, plate },
    decided,
    known,
    arrival,
  }: { seen: SeenPlate; decided: DecidedRead; known: ReadFacts; arrival: Arrival },
): Promise<ReadResult> {
  const { store, sessions, logger } = deps;
  const { camera, read, decision, event_ms } = decided;
  const changes = changeSessions(sessions, { plate, camera, event_ms }, { decision, known });
  const commit = {
    ...deps.stamp(uid),
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
    event: newEvent({ read, arrival }, recentReadOf(commit)),
    write: async () => sessions.committed(changes, await store.recordRead(commit)),
  });
  const { access_decision, access_decision_reason } = decision;
  logger.info({ camera: camera.device_id, uid, access_decision, access_decision_reason }, 'plate read');
  // A plate is personal data: at `info`, which stays in the device's log, a reading is named by its uid.
  logger.debug({ uid, plate: decided.plate }, 'plate that was read');
  return kept;
}
