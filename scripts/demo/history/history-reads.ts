/**
 * Makes the records that the gateways of a lot would have written of visits in the past: each read with the decision of the shared rules,
 * the result of the opening, and the changes of places. Pure.
 */
import { createHash } from 'node:crypto';
import { type AccessFacts, decideAccess } from '../../../shared/access/decide-access.js';
import { traceOf } from '../../../shared/access/explain-access.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { EventId, GatewayUuid, Uid } from '../../../shared/ids.js';
import { looksAlike } from '../../../shared/plate/match-plate.js';
import type { Lane, PlateReadRecord, RecordPayload } from '../../../shared/uplink.js';
import { type Chance, createChance } from '../../sim/traffic/chance.js';
import { AGAIN_S, type Pass, type SeenPlate, UNREADABLE, type Visit } from '../../sim/traffic/traffic-schedule.js';
import type { Vehicle } from '../../sim/traffic/vehicle.js';
import type { HistoryCamera, HistorySite } from './history-site.js';

/** A record without its number in a gateway's outbox. */
export interface HistoryRecord {
  gateway: GatewayUuid;
  lane: Lane;
  /** When the gateway wrote it, wall milliseconds. */
  at_ms: number;
  uid: Uid;
  payload: RecordPayload;
}

const OPENING_DURATION_MS = 1_400;
const TO_THE_PLACE_MS = 70_000;
const FROM_THE_PLACE_MS = 90_000;

interface Inside {
  uid: Uid;
  plate: string;
  began_ms: number;
}

/** A uid that is derived from the seed and a name. */
export function uidOf(seed: number, name: string): Uid {
  const hex = createHash('sha256').update(`${seed} ${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}` as Uid;
}

/** @param of.until_ms what would happen later is left out. @returns the records in the order of their times */
export function recordsOfVisits(
  site: HistorySite,
  of: { visits: readonly Visit[]; seed: number; until_ms: number },
): HistoryRecord[] {
  const lot = createHistoryLot(site, of.seed);
  const coming = of.visits
    .flatMap((visit) => visit.passes.map((pass) => ({ visit, pass })))
    .filter(({ pass }) => pass.at_ms + (pass.reads.at(-1)?.after_s ?? 0) * 1_000 + TO_THE_PLACE_MS < of.until_ms)
    .sort((a, b) => a.pass.at_ms - b.pass.at_ms);
  for (const { visit, pass } of coming) playPass(lot, visit.vehicle, pass);
  return lot.records.sort((a, b) => a.at_ms - b.at_ms);
}

interface HistoryLot {
  site: HistorySite;
  records: HistoryRecord[];
  /** Open sessions, by plate as it was read at the entry. */
  open: Map<string, Inside>;
  /** The last read of each direction and plate. */
  previous: Map<string, { at_ms: number; opening_failed: boolean }>;
  parking: ReturnType<typeof createParking>;
  add(gateway: GatewayUuid, lane: Lane, at_ms: number, payload: RecordPayload): Uid;
  /** An id derived from the number of the last record. */
  idOf(what: 'session' | 'opening'): Uid;
}

function createHistoryLot(site: HistorySite, seed: number): HistoryLot {
  const records: HistoryRecord[] = [];
  let number = 0;
  const add: HistoryLot['add'] = (gateway, lane, at_ms, payload) => {
    const uid = uidOf(seed, `record ${(number += 1)}`);
    records.push({ gateway, lane, at_ms: Math.round(at_ms), uid, payload });
    return uid;
  };
  const chance = createChance(seed, 'history');
  return {
    site,
    records,
    open: new Map(),
    previous: new Map(),
    parking: createParking(site, chance, (gateway, at_ms, change) => add(gateway, 1, at_ms, change)),
    add,
    idOf: (what) => uidOf(seed, `${what} ${number}`),
  };
}

function playPass(lot: HistoryLot, vehicle: Vehicle, pass: Pass): void {
  const { site, parking } = lot;
  const camera = pass.side === 'in' ? site.entry : site.exit;
  const { plate } = vehicle;
  // A vehicle that was refused at the entry does not come to the exit. One that tries the exit by mistake has several reads.
  const isInside = parking.has(plate);
  const isVisitor = pass.side === 'out' && !isInside && pass.reads.length < 2;
  if (isVisitor) return;
  if (pass.side === 'out') parking.leave(plate, pass.at_ms);
  for (const [index, seen] of pass.reads.entries()) {
    const at_ms = pass.at_ms + seen.after_s * 1_000;
    const isJammed = pass.jam_s !== null && seen.after_s < pass.jam_s;
    if (!read(lot, { camera, vehicle, seen, at_ms, isJammed })) continue;
    const again = pass.reads[index + 1];
    if (again !== undefined && again.after_s - seen.after_s <= AGAIN_S)
      read(lot, { camera, vehicle, seen: again, at_ms: pass.at_ms + again.after_s * 1_000, isJammed: false });
    if (pass.side === 'in') parking.park(plate, at_ms);
    return;
  }
}

/** Records a camera's read, its decision, and how the opening ended. @returns whether the way is free */
function read(
  lot: HistoryLot,
  of: { camera: HistoryCamera; vehicle: Vehicle; seen: SeenPlate; at_ms: number; isJammed: boolean },
): boolean {
  const { camera, vehicle, seen, at_ms, isJammed } = of;
  const direction: Pass['side'] = seen.direction ?? (camera.lpr_position === 'out' ? 'out' : 'in');
  const event_ms = Math.round(at_ms);
  const { gateway, id: lpr_camera_id, zone_id } = camera;
  if (seen.plate === UNREADABLE) {
    lot.add(gateway, 1, at_ms + 300, { kind: 'sighting', lpr_camera_id, zone_id, direction, event_ms, images: [] });
    return false;
  }
  const facts = factsOf(lot, camera, { plate: seen.plate, at_ms: event_ms, direction });
  const decision = decideAccess(facts);
  const { access_decision, access_decision_reason, session, lot_entry, opens, rule, debounced } = decision;
  const event_id = lot.idOf('opening').slice(0, 8) as EventId;
  const opening = opens && camera.product_id !== null ? { event_id, product_id: camera.product_id } : null;
  const reading_uid = lot.add(gateway, 0, at_ms + 300, {
    kind: 'plate_read',
    reading: readingOf(camera, vehicle, { ...seen, direction, event_ms }),
    access_decision,
    access_decision_reason,
    session,
    lot_entry,
    opening,
    trace: traceOf(facts, { rule, plate: seen.plate }),
  });
  const isOpened = opening !== null && !isJammed;
  if (opening !== null) {
    lot.add(gateway, 0, at_ms + 300 + OPENING_DURATION_MS, {
      kind: 'opening_result',
      reading_uid,
      ...opening,
      outcome: isOpened ? 'succeeded' : 'failed',
      gateway_error_type: isOpened ? null : GATEWAY_ERROR.JAMMED,
    });
  }
  if (!debounced)
    lot.previous.set(`${direction} ${seen.plate}`, { at_ms: event_ms, opening_failed: opens && !isOpened });
  changeSessions(lot, session, { plate: seen.plate, event_ms });
  return isOpened || (opens && camera.product_id === null);
}

function changeSessions(
  { open }: HistoryLot,
  session: PlateReadRecord['session'],
  { plate, event_ms }: { plate: string; event_ms: number },
): void {
  if (session?.effect === 'begin') {
    open.set(plate, { uid: session.session_uid, plate, began_ms: event_ms });
  } else if (session?.effect === 'end') {
    for (const [each, { uid }] of open) if (uid === session.session_uid) open.delete(each);
  }
}

function factsOf(
  { site, open, previous, parking, idOf }: HistoryLot,
  camera: HistoryCamera,
  { plate, at_ms, direction }: Read,
): AccessFacts {
  const own = open.get(plate) ?? null;
  const alike =
    direction === 'out' && own === null ? [...open.values()].filter((each) => looksAlike(plate, each.plate)) : [];
  const before = previous.get(`${direction} ${plate}`);
  return {
    read: { direction, event_ms: at_ms, retransmission: false, age_ms: 300 },
    camera: { lpr_position: camera.lpr_position, debounce_ms: camera.debounce_ms },
    previous_read:
      before === undefined ? null : { elapsed_ms: at_ms - before.at_ms, opening_failed: before.opening_failed },
    whitelisted: site.members.has(plate),
    zone: {
      has_tariff: site.hasTariff,
      spot_count: site.spotCount,
      occupied_count: direction === 'in' ? parking.occupiedCount : 0,
    },
    own_session: own,
    look_alike_session: alike.length === 1 ? (alike[0] ?? null) : null,
    ended_by_look_alike: false,
    cut_off: false,
    offline_exit: site.offlineExit,
    new_session_uid: idOf('session'),
  };
}

interface Read {
  plate: string;
  at_ms: number;
  direction: Pass['side'];
}

const readingOf = (
  camera: HistoryCamera,
  { type, make, color, country_code }: Vehicle,
  { plate, confidence, direction, event_ms }: SeenPlate & { direction: Pass['side']; event_ms: number },
): PlateReadRecord['reading'] => ({
  lpr_camera_id: camera.id,
  zone_id: camera.zone_id,
  plate,
  raw_plate: plate,
  confidence,
  direction,
  type,
  make,
  color,
  model: null,
  country_code,
  plate_side: camera.plate_side,
  lpr_camera_direction: camera.lpr_position,
  vendor_event_id: null,
  event_ms,
  retransmission: false,
  images: [],
});

/**
 * Keeps the vehicles that were let in and did not leave, with their places.
 * @param addRecord of a place that became occupied or free
 */
function createParking(
  site: HistorySite,
  chance: Chance,
  addRecord: (gateway: GatewayUuid, at_ms: number, change: RecordPayload) => void,
) {
  const parked = new Map<string, number | null>();
  const free = new Set(site.places);

  function changePlace(id: number, occupancy_status: 'occupied' | 'free', at_ms: number): void {
    const event_ms = Math.round(at_ms);
    if (site.placesGateway !== null)
      addRecord(site.placesGateway, at_ms, { kind: 'place_change', parking_place_id: id, occupancy_status, event_ms });
  }
  return {
    get occupiedCount(): number {
      return site.places.length - free.size;
    },
    has: (plate: string): boolean => parked.has(plate),
    park(plate: string, at_ms: number): void {
      const place = free.size === 0 ? null : chance.pick([...free]);
      parked.set(plate, place);
      if (place === null) return;
      free.delete(place);
      changePlace(place, 'occupied', at_ms + TO_THE_PLACE_MS);
    },
    leave(plate: string, at_ms: number): void {
      const place = parked.get(plate) ?? null;
      parked.delete(plate);
      if (place === null) return;
      free.add(place);
      changePlace(place, 'free', at_ms - FROM_THE_PLACE_MS);
    },
  };
}
