/** The rules of a lot as a site file declares them, looked up as decisions need them. */
import { groupBy, pushTo } from '../../../shared/grouping.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { spanHolds } from '../../../shared/span.js';

/** A camera and its place in the file. */
export interface ReplayCamera {
  lpr_position: 'in' | 'out' | 'in/out';
  debounce_ms: number;
  direction_source: 'reported' | 'position';
  min_confidence: number;
  zone: string;
  /** device_id; null: standalone. */
  product: string | null;
  has_tariff: boolean;
  spot_count: number;
}

export interface ReplayRules {
  offline_exit: 'open' | 'deny';
  /** By device_id. */
  cameras: ReadonlyMap<string, ReplayCamera>;
  /** Whether the file limits a zone. */
  hasLimitedZones: boolean;
  /** Whether a normalised plate is whitelisted at a camera at a time. */
  isWhitelisted(plate: string, camera: Pick<ReplayCamera, 'zone' | 'product'>, at: number): boolean;
}

/** The parts of a declared account that decisions depend on (run contract, "Site file"). */
export interface DeclaredAccount {
  name: string;
  lots: readonly {
    name: string;
    offline_exit: 'open' | 'deny';
    zones: readonly {
      name: string;
      spot_count: number;
      tariffs: readonly string[];
      products: readonly { device_id: string; bound_licenses: readonly string[] }[];
      lpr_cameras: readonly {
        device_id: string;
        lpr_position: ReplayCamera['lpr_position'];
        debounce_time: number;
        direction_source: ReplayCamera['direction_source'];
        min_confidence: number;
        product: string | null;
      }[];
    }[];
  }[];
  members: readonly {
    plates: readonly string[];
    groups: readonly string[];
    valid_from: number | null;
    valid_until: number | null;
    blocked_at: number | null;
  }[];
  groups: readonly { name: string; zones: readonly string[] }[];
  key_logs: readonly {
    product: string | null;
    receiver_identifier: string;
    receiver_identifier_type: string;
    /** Left out: it is valid already. */
    start_time?: number | undefined;
    end_time: number | null;
  }[];
}

/** Returns null when the account declares no such lot. */
export function replayRules(account: DeclaredAccount, lotName: string): ReplayRules | null {
  const lot = account.lots.find(({ name }) => name === lotName);
  if (lot === undefined) return null;
  const cameras = new Map<string, ReplayCamera>();
  for (const zone of lot.zones) {
    const { name, spot_count } = zone;
    for (const { device_id, debounce_time, ...camera } of zone.lpr_cameras) {
      const place = { zone: name, spot_count, has_tariff: zone.tariffs.length > 0 };
      cameras.set(device_id, { ...camera, ...place, debounce_ms: debounce_time * 1_000 });
    }
  }
  const members = membersByPlate(account);
  const boundTo = new Map<string, string[]>();
  for (const { device_id, bound_licenses } of lot.zones.flatMap(({ products }) => products)) {
    for (const plate of bound_licenses) pushTo(boundTo, normalisePlate(plate), device_id);
  }
  const keys = groupBy(
    account.key_logs.filter(({ receiver_identifier_type }) => receiver_identifier_type === 'license_plate'),
    ({ receiver_identifier }) => normalisePlate(receiver_identifier),
  );
  return {
    offline_exit: lot.offline_exit,
    cameras,
    hasLimitedZones: lot.zones.some(({ spot_count }) => spot_count > 0),
    isWhitelisted(plate, { zone, product }, at) {
      const isValid = (member: DeclaredMember) =>
        member.zones.has(zone) &&
        spanHolds(at, member.valid_from, member.valid_until) &&
        spanHolds(at, null, member.blocked_at);
      if (members.get(plate)?.some(isValid) === true) return true;
      if (product === null) return false;
      if (boundTo.get(plate)?.includes(product) === true) return true;
      return (keys.get(plate) ?? []).some(
        (key) => key.product === product && spanHolds(at, key.start_time ?? null, key.end_time),
      );
    },
  };
}

interface DeclaredMember {
  zones: ReadonlySet<string>;
  valid_from: number | null;
  valid_until: number | null;
  blocked_at: number | null;
}

/** By normalised plates, without those who have none. */
function membersByPlate({ members, groups }: DeclaredAccount): Map<string, DeclaredMember[]> {
  const zonesOf = new Map(groups.map(({ name, zones }) => [name, zones]));
  const byPlate = new Map<string, DeclaredMember[]>();
  for (const { plates, groups: own, ...span } of members) {
    const zones = new Set(own.flatMap((group) => zonesOf.get(group) ?? []));
    for (const plate of plates) pushTo(byPlate, normalisePlate(plate), { ...span, zones });
  }
  return byPlate;
}
