/**
 * Holds in memory the configuration that the gateway decides by: every section of `shared/gateway-config.ts`, with the look-ups
 * of the plate story. It begins with what the store kept, and the cloud's snapshots and deltas change it.
 */
import type { Logger } from '../../shared/logger.js';
import {
  CONFIG_SECTIONS,
  type CameraItem,
  type ConfigItem,
  type ConfigMessage,
  type ConfigSection,
  type DisplayItem,
  type HandledItem,
  type PlateItem,
  type ProductItem,
  type SensorItem,
  type SessionItem,
  type ZoneItem,
} from '../../shared/gateway-config.js';
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import { spanHolds } from '../../shared/span.js';
import type { BootState } from '../store/agent-store.js';
import type { OpenSessions } from './open-sessions.js';

export type GatewayItem = ConfigItem<'gateway'>;

export interface AccessRules {
  /** The revision of each section that is held; none before its first snapshot. */
  revisions(): Record<string, string>;
  /** Applies a snapshot or delta. The caller has checked that the base is the revision held. */
  apply(message: ConfigMessage): void;
  gateway(): GatewayItem | undefined;
  camera(deviceId: string): CameraItem | undefined;
  cameras(): Iterable<CameraItem>;
  product(deviceId: string): ProductItem | undefined;
  products(): Iterable<ProductItem>;
  zone(id: number): ZoneItem | undefined;
  /** The parking gateways that this gateway listens to. */
  sensors(): Iterable<SensorItem>;
  zones(): Iterable<ZoneItem>;
  /** The displays that this gateway writes to. */
  displays(): Iterable<DisplayItem>;
  /** The cloud's word that somebody dealt with a vehicle. @param uid of its sighting or reading */
  handled(uid: string): HandledItem | undefined;
  /** Whether a normalised plate is whitelisted in the zone, or at the product (null: none) at the time of the event. */
  isWhitelisted(plate: string, at: { zone_id: number; product_id: number | null; event_ms: number }): boolean;
}

/** Builds the rules from the store's boot state. An item that cannot be read is left out and logged: it must not close a car park. */
export function createAccessRules(deps: {
  boot: Pick<BootState, 'config' | 'sessions'>;
  sessions: OpenSessions;
  logger: Logger;
}): AccessRules {
  const { sessions, logger } = deps;
  const revisions: Record<string, string> = {};
  const maps = {
    gateway: new Map<string, GatewayItem>(),
    products: new Map<string, ProductItem>(),
    cameras: new Map<string, CameraItem>(),
    zones: new Map<string, ZoneItem>(),
    sensors: new Map<string, SensorItem>(),
    displays: new Map<string, DisplayItem>(),
    handled: new Map<string, HandledItem>(),
  };
  const whitelist = createWhitelist();
  const zonesById = new Map<number, ZoneItem>();

  function fill<Section extends keyof typeof maps>(section: Section, change: ConfigMessage): void {
    const map = maps[section] as Map<string, ConfigItem<Section>>;
    if (change.base === null) map.clear();
    for (const key of change.remove) map.delete(key);
    for (const [key, item] of parseItems(section, change.upsert, logger)) map.set(key, item);
  }

  function apply(message: ConfigMessage): void {
    const { section, remove } = message;
    const snapshot = message.base === null;
    if (section === 'sessions') {
      const upsert: SessionItem[] = parseItems(section, message.upsert, logger).map(([, item]) => item);
      sessions.update({ snapshot, upsert, remove, applied: message.applied });
    } else if (section === 'plates') {
      whitelist.update({ snapshot, upsert: parseItems(section, message.upsert, logger), remove });
    } else {
      fill(section, message);
    }
    if (section === 'zones') {
      zonesById.clear();
      for (const zone of maps.zones.values()) zonesById.set(zone.id, zone);
    }
    revisions[section] = message.revision;
  }

  for (const { section, revision, items } of deps.boot.config) {
    apply({ section, base: null, revision, upsert: items, remove: [], applied: null });
  }
  sessions.load(deps.boot.sessions);

  return {
    revisions: () => ({ ...revisions }),
    apply,
    gateway: () => maps.gateway.get('self'),
    camera: (deviceId) => maps.cameras.get(deviceId),
    cameras: () => maps.cameras.values(),
    product: (deviceId) => maps.products.get(deviceId),
    products: () => maps.products.values(),
    zone: (id) => zonesById.get(id),
    sensors: () => maps.sensors.values(),
    zones: () => maps.zones.values(),
    displays: () => maps.displays.values(),
    handled: (uid) => maps.handled.get(uid),
    isWhitelisted: whitelist.admits,
  };
}

function parseItems<Section extends ConfigSection>(
  section: Section,
  items: Record<string, unknown>,
  logger: Logger,
): [string, ConfigItem<Section>][] {
  const schema = CONFIG_SECTIONS[section];
  const parsed: [string, ConfigItem<Section>][] = [];
  for (const [key, value] of Object.entries(items)) {
    const result = schema.safeParse(value);
    if (result.success) parsed.push([key, result.data as ConfigItem<Section>]);
    else {
      // The key of a whitelisted plate is the plate itself, which is personal.
      const named = section === 'plates' ? {} : { key };
      logger.warn(
        { section: String(section), ...named, reason: result.error.message },
        'configuration item left out: not understood',
      );
    }
  }
  return parsed;
}

/** The whitelisted plates, by their normalised text. */
function createWhitelist() {
  const items = new Map<string, PlateItem>();
  /** Most plates are whitelisted in the same few places: they share one item, so that 50,000 of them cost little memory. */
  const sharedItems = new Map<string, PlateItem>();

  function intern(item: PlateItem): PlateItem {
    // Plates with times do not share items, because hardly any two have the same.
    if (item.keys !== undefined || item.members !== undefined) return item;
    const key = `${item.zone_ids.join()};${item.product_ids.join()}`;
    const shared = sharedItems.get(key);
    if (shared !== undefined) return shared;
    sharedItems.set(key, item);
    return item;
  }

  return {
    update(update: { snapshot: boolean; upsert: [string, PlateItem][]; remove: string[] }): void {
      if (update.snapshot) {
        items.clear();
        sharedItems.clear();
      }
      // The store or the cloud may be of a version that compares plates in another form.
      for (const plate of update.remove) items.delete(normalisePlate(plate));
      for (const [plate, item] of update.upsert) items.set(normalisePlate(plate), intern(item));
    },
    admits(plate: string, at: { zone_id: number; product_id: number | null; event_ms: number }): boolean {
      const { zone_id, product_id, event_ms } = at;
      const item = items.get(plate);
      if (item === undefined) return false;
      const holds = ({ start_ms, end_ms }: { start_ms: number | null; end_ms: number | null }) =>
        spanHolds(event_ms, start_ms, end_ms);
      if (item.zone_ids.includes(zone_id)) return true;
      if (item.members?.some((member) => member.zone_id === zone_id && holds(member)) === true) return true;
      if (product_id === null) return false;
      if (item.product_ids.includes(product_id)) return true;
      return item.keys?.some((key) => key.product_id === product_id && holds(key)) === true;
    },
  };
}
