/** Builds the sections of `shared/gateway-config.ts` from the database. */
import type { ConfigItem, ConfigSection } from '../../../shared/gateway-config.js';
import { decodeJson } from '../../../shared/json-text-codec.js';
import { productTypeOf } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import {
  cameraConfigItem,
  cloudKeyOf,
  displayConfigItem,
  displaysOfGateway,
  mintProductPairing,
  parkingGatewayConfigItem,
  placesOfParkingGateways,
  type ReleaseLinks,
  rulesOfDisplays,
  wantedUpdatesOf,
  watchedParkingGateways,
} from '../../equipment/entry.js';
import { DAY_MS } from '../../../shared/durations.js';
import type { Db } from '../../kernel/store/entry.js';
import type { SealPurpose, Secrets } from '../../kernel/secrets/entry.js';
import { holderOf, withheldSecrets } from '../../rest/entry.js';
import { lastRecountsOfLot, sensorCountsOfLot } from '../../site/entry.js';
import { handledVehicles } from '../../traffic/entry.js';
import {
  claimedGatewaysOf,
  configBoundPlates,
  configCameras,
  type ConfigGateway,
  configKeyPlates,
  configMemberPlates,
  type ConfigProduct,
  configProducts,
  configSessions,
  configZones,
} from './config-queries.js';
import { HOUR_MS } from '../../../shared/durations.js';

/** Sections that are the same for every gateway of a lot. */
export const LOT_SECTIONS = ['zones', 'plates', 'sessions', 'handled'] as const satisfies ConfigSection[];
export type LotSection = (typeof LOT_SECTIONS)[number];
/** Sections of one gateway. */
export type GatewaySection = Exclude<ConfigSection, LotSection>;

export type SectionItems = [key: string, item: unknown][];
type ItemsOf<Section extends ConfigSection> = [string, ConfigItem<Section>][];

export interface ConfigBuilder {
  /** @param now wall milliseconds */
  lotSection(db: Db, section: LotSection, lot: { lot_id: number | null; now: number }): Promise<SectionItems>;
  gatewaySection(
    db: Db,
    section: GatewaySection,
    owner: { gateway: ConfigGateway; now: number },
  ): Promise<SectionItems>;
}

export function isLotSection(section: ConfigSection): section is LotSection {
  return LOT_SECTIONS.some((each) => each === section);
}

export interface ConfigBuilderDeps {
  secrets: Pick<Secrets, 'open' | 'derive'>;
  crypto: ProtocolCrypto;
  releaseLinks: Pick<ReleaseLinks, 'linkOf'>;
  logger: Logger;
}

export function createConfigBuilder(deps: ConfigBuilderDeps): ConfigBuilder {
  const cloud_key = cloudKeyOf(deps.secrets).publicKey;
  return {
    async lotSection(db, section, { lot_id, now }) {
      if (lot_id === null) return [];
      switch (section) {
        case 'zones':
          return zoneItems(db, lot_id, now);
        case 'plates':
          return plateItems(db, lot_id, now);
        case 'sessions':
          return sessionItems(db, lot_id, now);
        case 'handled':
          return handledItems(db, lot_id, now);
      }
    },
    async gatewaySection(db, section, { gateway, now }) {
      switch (section) {
        case 'gateway':
          return [['self', { ...(await gatewayItem(deps, db, gateway)), cloud_key }]];
        case 'products':
          return productItems(deps, db, { gateway, now });
        case 'cameras':
          return cameraItems(deps, db, gateway);
        case 'sensors':
          return sensorItems(db, gateway);
        case 'displays':
          return displayItems(db, gateway);
      }
    },
  };
}

/** For people: a few say where to look. */
const OTHER_GATEWAYS_NAMED_MAX = 8;

async function gatewayItem(
  { releaseLinks }: ConfigBuilderDeps,
  db: Db,
  gateway: ConfigGateway,
): Promise<ConfigItem<'gateway'>> {
  const { console_password_verifier } = gateway;
  const others =
    gateway.lot_id === null
      ? []
      : (await claimedGatewaysOf(db, gateway.lot_id)).filter((other) => other.id !== gateway.id);
  const updates = await wantedUpdatesOf(
    db,
    { links: releaseLinks },
    { ...gateway, update_hours: gateway.lot?.update_hours ?? null },
  );
  return {
    gateway_id: gateway.id,
    name: gateway.name,
    lot_id: gateway.lot_id,
    lot_name: gateway.lot?.name ?? null,
    timezone: gateway.lot?.timezone ?? 'UTC',
    offline_exit: gateway.lot?.offline_exit ?? 'open',
    autonomy_days: gateway.lot?.autonomy_days ?? 31,
    other_gateways_count: others.length,
    other_gateways: others.slice(0, OTHER_GATEWAYS_NAMED_MAX).map(({ name }) => name),
    console_password: console_password_verifier === null ? null : decodeJson(console_password_verifier),
    ...(updates === undefined ? {} : { updates }),
  };
}

async function productItems(
  deps: ConfigBuilderDeps,
  db: Db,
  owner: { gateway: ConfigGateway; now: number },
): Promise<SectionItems> {
  const { gateway } = owner;
  if (gateway.lot_id === null) return [];
  const items: SectionItems = [];
  for (const product of await configProducts(db, gateway.lot_id)) {
    const type = productTypeOf(product.product_type_id);
    if (type === undefined) continue;
    const { id, device_id, name, zone_id } = product;
    items.push([device_id, { id, device_id, name, type, zone_id, pairing: pairingOf(deps, product, owner) }]);
  }
  return items;
}

function pairingOf(
  deps: ConfigBuilderDeps,
  product: ConfigProduct,
  { gateway, now }: { gateway: ConfigGateway; now: number },
): ConfigItem<'products'>['pairing'] {
  if (product.master_key_sealed === null || gateway.lot === null) return null;
  const masterKey = opened(deps, 'product_master_key', product.master_key_sealed);
  if (masterKey === null) return null;
  return mintProductPairing(deps.crypto, {
    product,
    masterKey,
    gateway,
    autonomy_days: gateway.lot.autonomy_days,
    now,
  });
}

async function cameraItems(deps: ConfigBuilderDeps, db: Db, gateway: ConfigGateway): Promise<SectionItems> {
  if (gateway.lot_id === null) return [];
  const cameras = await configCameras(db, { id: gateway.id, lot_id: gateway.lot_id });
  const holder = holderOf(gateway);
  const text = (purpose: SealPurpose, sealed: string) => opened(deps, purpose, sealed)?.toString('utf8') ?? '';
  return cameras.map((camera) => {
    const password = text('camera_password', camera.password_sealed);
    const push_key = text('camera_push_key', camera.push_key_sealed);
    return [camera.device_id, cameraConfigItem(camera, { password, push_key }, withheldSecrets(camera, holder))];
  });
}

async function sensorItems(db: Db, gateway: ConfigGateway): Promise<ItemsOf<'sensors'>> {
  if (gateway.lot_id === null) return [];
  const watched = await watchedParkingGateways(db, { id: gateway.id, lot_id: gateway.lot_id });
  const places = await placesOfParkingGateways(
    db,
    watched.map(({ id }) => id),
  );
  const holder = holderOf(gateway);
  return watched.map((row) => {
    const own = places.filter(({ parking_gateway_id }) => parking_gateway_id === row.id);
    return [String(row.id), parkingGatewayConfigItem(row, own, withheldSecrets(row, holder))];
  });
}

async function displayItems(db: Db, { id, lot_id, public_key }: ConfigGateway): Promise<ItemsOf<'displays'>> {
  if (lot_id === null) return [];
  const displays = await displaysOfGateway(db, { id, lot_id });
  const rules = await rulesOfDisplays(
    db,
    displays.map((display) => display.id),
  );
  const holder = holderOf({ id, public_key });
  return displays.map((display) => [
    String(display.id),
    displayConfigItem(
      display,
      rules.filter(({ rgb_display_id }) => rgb_display_id === display.id),
      withheldSecrets(display, holder),
    ),
  ]);
}

/** Opens a secret. If this server key does not open it, it logs an error and returns null, so that the gateways get the rest. */
function opened({ secrets, logger }: ConfigBuilderDeps, purpose: SealPurpose, sealed: string): Buffer | null {
  if (sealed === '') return null;
  try {
    return secrets.open(purpose, sealed);
  } catch (error) {
    logger.error({ err: error, purpose }, 'a secret cannot be opened and is left out of the configuration');
    return null;
  }
}

async function zoneItems(db: Db, lot_id: number, now: number): Promise<ItemsOf<'zones'>> {
  const counts = await sensorCountsOfLot(db, lot_id);
  const recounts = new Map((await lastRecountsOfLot(db, { lot_id, now })).map((recount) => [recount.zone_id, recount]));
  return (await configZones(db, lot_id)).map((zone) => {
    const sensor_counts = counts.flatMap(({ zone_id, ...count }) => (zone_id === zone.id ? count : []));
    return [String(zone.id), { ...zone, sensor_counts, ...recountOf(zone, recounts.get(zone.id)) }];
  });
}

function recountOf(
  { occupancy_max_hours }: Pick<ConfigItem<'zones'>, 'occupancy_max_hours'>,
  recount: Awaited<ReturnType<typeof lastRecountsOfLot>>[number] | undefined,
): Pick<ConfigItem<'zones'>, 'recount'> {
  if (recount === undefined) return {};
  const { uncounted_until: uncounted_until_ms, extra_count, counted_at } = recount;
  return { recount: { uncounted_until_ms, extra_count, extra_until_ms: counted_at + occupancy_max_hours * HOUR_MS } };
}

async function plateItems(db: Db, lot_id: number, now: number): Promise<ItemsOf<'plates'>> {
  const items = new Map<string, ConfigItem<'plates'>>();
  const itemOf = (plate: string) => {
    const item = items.get(plate) ?? { zone_ids: [], product_ids: [] };
    items.set(plate, item);
    return item;
  };
  for (const { plate, ...member } of await configMemberPlates(db, { lot_id, now })) {
    const item = itemOf(plate);
    if (member.start_ms === null && member.end_ms === null) item.zone_ids.push(member.zone_id);
    else item.members = [...(item.members ?? []), member];
  }
  for (const { plate, product_id } of await configBoundPlates(db, lot_id)) itemOf(plate).product_ids.push(product_id);
  for (const { plate, ...key } of await configKeyPlates(db, { lot_id, now })) {
    const item = itemOf(plate);
    item.keys = [...(item.keys ?? []), key];
  }
  return [...items];
}

async function sessionItems(db: Db, lot_id: number, now: number): Promise<SectionItems> {
  const sessions = await configSessions(db, { lot_id, endedAfter: now - DAY_MS });
  return sessions.map((session) => [
    session.uid,
    {
      uid: session.uid,
      plate: session.plate_normalised,
      zone_id: session.zone_id,
      began_ms: session.created_at,
      ended_ms: session.ended_at,
    },
  ]);
}

async function handledItems(db: Db, lot_id: number, now: number): Promise<ItemsOf<'handled'>> {
  const vehicles = await handledVehicles(db, { lot_id, since: now - DAY_MS });
  return vehicles.map(({ uid, handled_how: how, handled_by: by, handled_at: at_ms }) => [uid, { how, by, at_ms }]);
}
