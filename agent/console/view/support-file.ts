/**
 * The file that people on site send to support: status, log, configuration and refused pushes of this gateway. It holds no secret and no plate
 * of the configuration: of each thing it has only the fields that are named here, and what is secret is taken out of the text once more.
 */
import type { CameraItem, DisplayItem, ProductItem, SensorItem } from '../../../shared/gateway-config.js';
import { percentDecoded } from '../../../shared/percent-decoded.js';
import type { AccessRules } from '../../access/access-rules.js';
import type { GatewayStatus } from '../../health/status.js';
import type { QuarantinedPush } from '../../lpr/push/quarantine.js';

/** The limit for each kind; a gateway has a few dozens. */
const THINGS_MAX = 200;
const LOG_BYTES_MAX = 1024 * 1024;
/** Shorter ones stand in any number, and the fields that hold them are left out anyway. */
const SECRET_LENGTH_MIN = 4;
const INSTEAD = '[secret]';

export interface SupportSources {
  made_at: string;
  /** Facts of the machine: Node.js, system, memory. */
  machine: Readonly<Record<string, string | number>>;
  status: GatewayStatus;
  rules: Pick<AccessRules, 'gateway' | 'cameras' | 'products' | 'zones' | 'sensors' | 'displays' | 'revisions'>;
  /** The last report of the doctor; null: there is none. */
  doctor: object | null;
  /** The oldest first. */
  logs: readonly object[];
  quarantine: readonly QuarantinedPush[];
  /** Beyond those of the configuration: the password at the broker. */
  secrets: readonly string[];
}

/** Returns the text of the file, JSON. Its size is bounded. */
export function supportFileText(sources: SupportSources): string {
  const { rules } = sources;
  const document = {
    made_at: sources.made_at,
    machine: sources.machine,
    status: sources.status,
    doctor: sources.doctor,
    configuration: {
      revisions: rules.revisions(),
      gateway: gatewayOf(rules.gateway()),
      cameras: some(rules.cameras(), cameraOf),
      products: some(rules.products(), productOf),
      zones: some(rules.zones(), ({ id, name, spot_count, has_tariff }) => ({ id, name, spot_count, has_tariff })),
      sensors: some(rules.sensors(), sensorOf),
      displays: some(rules.displays(), displayOf),
    },
    refused_pushes: some(sources.quarantine.toReversed(), pushOf),
    log: newest(sources.logs, LOG_BYTES_MAX),
  };
  return withoutSecrets(JSON.stringify(document, null, 1), [...sources.secrets, ...secretsOf(rules)]);
}

function some<Item>(items: Iterable<Item>, shown: (item: Item) => object): object[] {
  const all = [...items];
  const left = all.length - THINGS_MAX;
  return [...all.slice(0, THINGS_MAX).map(shown), ...(left > 0 ? [{ left_out: left }] : [])];
}

/** As many of the newest lines as fit. */
function newest(lines: readonly object[], bytesMax: number): object[] {
  let bytes = 0;
  const from = lines.findLastIndex((line) => (bytes += JSON.stringify(line).length + 1) > bytesMax);
  return lines.slice(from + 1);
}

type Gateway = ReturnType<AccessRules['gateway']>;

function gatewayOf(gateway: Gateway): object | null {
  if (gateway === undefined) return null;
  const { gateway_id, name, lot_id, lot_name, timezone, offline_exit, autonomy_days, other_gateways_count } = gateway;
  return { gateway_id, name, lot_id, lot_name, timezone, offline_exit, autonomy_days, other_gateways_count };
}

function cameraOf(camera: CameraItem): object {
  const { id, device_id, name, driver, timezone, zone_id, lpr_position, plate_side, debounce_time } = camera;
  const { direction_source, min_confidence, product_device_id, push_without_key, mapping } = camera;
  return {
    id,
    device_id,
    name,
    driver,
    address: withoutAccount(camera.address),
    timezone,
    zone_id,
    lpr_position,
    plate_side,
    debounce_time,
    direction_source,
    min_confidence,
    product_device_id,
    push_without_key,
    has_account: camera.username !== '' || camera.password !== '',
    has_mapping: mapping !== null && mapping !== undefined,
  };
}

const productOf = ({ id, device_id, name, type, zone_id, pairing }: ProductItem): object => ({
  id,
  device_id,
  name,
  type,
  zone_id,
  pairing: pairing === null ? null : { epoch: pairing.epoch, expires_at: new Date(pairing.expires_ms).toISOString() },
});

const sensorOf = ({ id, name, driver, address, unit, poll_ms, heartbeat_s, places }: SensorItem): object => ({
  id,
  name,
  driver,
  address: withoutAccount(address),
  unit,
  poll_ms,
  heartbeat_s,
  places: some(places, (place) => ({ id: place.id, name: place.name, sensor: place.sensor, codec: place.codec })),
});

const displayOf = ({ id, name, zone_id, driver, address, template, stale_text, rules }: DisplayItem): object => ({
  id,
  name,
  zone_id,
  driver,
  address: withoutAccount(address),
  template,
  stale_text,
  rule_count: rules.length,
});

const pushOf = ({ at_ms, camera_device_id, driver, reason, content_type, bytes }: QuarantinedPush): object => ({
  at: new Date(at_ms).toISOString(),
  camera_device_id,
  driver,
  reason,
  content_type,
  bytes,
});

/** `mqtt://user:password@host` */
const ACCOUNT = /\/\/([^/?#\s]*)@/;
const withoutAccount = (address: string): string => address.replace(ACCOUNT, '//');

function secretsOf(rules: SupportSources['rules']): string[] {
  const password = rules.gateway()?.console_password ?? null;
  const addresses = [...rules.cameras(), ...rules.sensors(), ...rules.displays()].map(({ address }) => address);
  return [
    ...(password === null ? [] : [password.salt, password.hash]),
    ...[...rules.cameras()].flatMap((camera) => [camera.password, camera.push_key]),
    ...[...rules.products()].flatMap(({ pairing }) => (pairing === null ? [] : keysOf(pairing))),
    ...addresses.flatMap((address) => ACCOUNT.exec(address)?.[1]?.split(':').slice(1).join(':') ?? []),
  ];
}

function keysOf({ advertisement_key, token_open, token_close, token_status }: NonNullable<ProductItem['pairing']>) {
  const credentials = [token_open, token_close, token_status];
  return [
    advertisement_key,
    ...credentials.flatMap(({ token, status_key, challenge_key }) => [token, status_key, challenge_key]),
  ];
}

/** Takes secrets out of a JSON text, also where they stand in an address or in quotes. The longest go first: one may be part of another. */
function withoutSecrets(json: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter(({ length }) => length >= SECRET_LENGTH_MIN)
    .flatMap((secret) => [secret, encodeURIComponent(secret), percentDecoded(secret)])
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  const longestFirst = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce((text, secret) => text.replaceAll(secret, INSTEAD), json);
}
