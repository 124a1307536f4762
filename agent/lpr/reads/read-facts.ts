/** Gathers the facts for the decision on one read from the gateway's memory. */
import type { AccessFacts } from '../../../shared/access/decide-access.js';
import type { ReadDirection } from '../../../shared/access/resolve-direction.js';
import type { CameraItem, ProductItem } from '../../../shared/gateway-config.js';
import type { Uid } from '../../../shared/ids.js';
import type { AccessRules } from '../../access/access-rules.js';
import type { OpenSession, OpenSessions } from '../../access/open-sessions.js';
import type { RecentReads } from '../../access/recent-reads.js';
import { occupiedInZone, type SensorCounts } from '../../access/zone-occupancy.js';
import type { EventTime } from './decide-event-time.js';

/** The facts of a zone that the configuration does not hold (yet). Only whitelisted vehicles are admitted to it. */
const UNKNOWN_ZONE = { spot_count: 0, has_tariff: false, occupancy_max_hours: 72, sensor_counts: [] };

export interface KnownRead {
  camera: CameraItem;
  product: ProductItem | undefined;
  /** Normalised. */
  plate: string;
  direction: ReadDirection;
  /** The direction is that of the camera's position. */
  by_position: boolean;
  time: Pick<EventTime, 'event_ms' | 'age_ms'>;
  retransmission: boolean;
  received_ms: number;
  /** null: the read came late, and its arrival does not show when the vehicle came. */
  received_mono_ms: number | null;
  new_session_uid: Uid;
  /** The cloud is not connected, through which the gateways of a lot know each other's sessions. */
  offline: boolean;
}

export interface ReadFacts {
  facts: AccessFacts;
  own_session: OpenSession | null;
  look_alike_session: OpenSession | null;
}

export interface FactMemory {
  rules: AccessRules;
  sessions: OpenSessions;
  recent: RecentReads;
  sensors: SensorCounts;
}

export function gatherFacts(read: KnownRead, memory: FactMemory): ReadFacts {
  const { camera, product, plate, direction, time } = read;
  const { rules, sessions } = memory;
  const zone = rules.zone(camera.zone_id) ?? UNKNOWN_ZONE;
  const gateway = rules.gateway();
  const own_session = sessions.own(plate);
  const look_alike_session = direction === 'out' && own_session === null ? sessions.lookAlike(plate) : null;
  const before = whatWentBefore(read, memory);
  const facts: AccessFacts = {
    read: { direction, event_ms: time.event_ms, retransmission: read.retransmission, age_ms: time.age_ms },
    camera: { lpr_position: camera.lpr_position, debounce_ms: camera.debounce_time * 1000 },
    previous_read: before.previous,
    whitelisted: rules.isWhitelisted(plate, {
      zone_id: camera.zone_id,
      product_id: product?.id ?? null,
      event_ms: time.event_ms,
    }),
    zone: {
      has_tariff: zone.has_tariff,
      spot_count: zone.spot_count,
      occupied_count:
        direction === 'in' && zone.spot_count > 0
          ? occupiedInZone(
              { ...zone, id: camera.zone_id },
              { sessions, sensors: memory.sensors, now_ms: read.received_ms },
            )
          : 0,
    },
    own_session,
    look_alike_session,
    ended_by_look_alike: sessions.endedByLookAlike(plate, time.event_ms),
    let_out: before.let_out,
    cut_off: read.offline && (gateway?.other_gateways_count ?? 0) > 0,
    offline_exit: gateway?.offline_exit ?? 'open',
    new_session_uid: read.new_session_uid,
  };
  return { facts, own_session, look_alike_session };
}

function whatWentBefore(read: KnownRead, { recent, rules }: FactMemory): ReturnType<RecentReads['before']> {
  const { camera, plate, direction, by_position, received_mono_ms, time } = read;
  if (direction === 'undefined') return { previous: null, let_out: false };
  const { device_id: camera_device_id, debounce_time } = camera;
  return recent.before(
    { camera_device_id, plate, direction, event_ms: time.event_ms, received_mono_ms, by_position },
    { sees: (other) => isAtSameProduct(camera, other, rules), within_ms: debounce_time * 1000 },
  );
}

/** Says whether two cameras are at the same product, for debouncing. A camera without a product is alone. */
function isAtSameProduct(camera: CameraItem, otherDeviceId: string, rules: AccessRules): boolean {
  if (otherDeviceId === camera.device_id) return true;
  if (camera.product_device_id === null) return false;
  return rules.camera(otherDeviceId)?.product_device_id === camera.product_device_id;
}
