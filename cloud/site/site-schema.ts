/** What a site file may say (run contract, "Site file"), as far as this version knows it. Defaults are filled in. */
import { z } from 'zod';
import { CAMERA_DIRECTIONS, PLATE_SIDES } from '../../shared/events/event-schemas.js';
import { cameraDeviceIdSchema, gatewayUuidSchema, PRODUCT_TYPES, productDeviceIdSchema } from '../../shared/ids.js';
import { isCurrency } from '../../shared/money.js';
import { isModbus, PARKING_GATEWAY_DRIVERS, SENSOR_CODECS } from './kinds/parking-gateways.js';
import { keyLogSchema } from './kinds/key-logs.js';
import { licensePlateAlertSchema } from './kinds/license-plate-alerts.js';
import { rgbDisplaySchema } from './kinds/rgb-displays.js';
import { tariffWindowsSchema } from './kinds/tariff-windows.js';
import { terminalSchema } from './kinds/terminals.js';
import { weblinkSchema } from './kinds/weblinks.js';
import {
  address,
  cameraDriver,
  coordinate,
  email,
  flag,
  list,
  LIST_MAX,
  mapping,
  name,
  names,
  plate,
  text,
  timezone,
  whole,
} from './site-values.js';

/** Where something stands in the file: `['accounts', 0, 'lots', 1]`. */
export type SitePath = readonly (string | number)[];

export interface SiteProblem {
  path: SitePath;
  reason: string;
}

const userSchema = mapping({
  email,
  password: z.string().min(1).max(1_000).optional(),
  name,
  role: z.enum(['Super Admin', 'Admin', 'Attendant']).default('Super Admin'),
  email_confirmed: flag.default(1),
  lots: z.array(name).max(LIST_MAX).optional(),
});

const apiTokenSchema = mapping({
  name,
  token: z
    .string()
    .regex(/^[A-Za-z0-9._-]{32,200}$/, 'must be 32 or more letters, digits, dots, dashes or underscores')
    .optional(),
});

const tariffSchema = mapping({
  name,
  currency: z.string().refine(isCurrency, 'must be a currency such as EUR'),
  vat: z
    .string()
    .regex(/^(\d{1,2}(\.\d{1,4})?)?$/, 'must be a percentage in quotes, such as "25"')
    .default(''),
  free_minutes: whole(0, 525_600).default(0),
  price: z.number().min(0).max(1e9),
  step_minutes: whole(1, 525_600).default(60),
  daily_max: z.number().min(0).max(1e9).nullable().default(null),
  windows: tariffWindowsSchema,
});

const gatewaySchema = mapping({
  uuid: gatewayUuidSchema.optional(),
  name,
  claim_code: z
    .string()
    .regex(/^\S{4,128}$/, 'must be 4 to 128 characters without spaces')
    .optional(),
});

const productSchema = mapping({
  device_id: productDeviceIdSchema,
  name,
  type: z.enum(PRODUCT_TYPES),
  power_type: z.enum(['battery', 'solar_battery', 'mains']).default('battery'),
  is_autoclose: flag.default(0),
  autoclose_time: whole(1, 255).default(10),
  bound_licenses: list(plate),
  master_key: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
    .toLowerCase()
    .optional(),
});

/** A register's judgement, in one of two shapes; which one is told by its keys. */
const occupiedSchema = z.union(
  [
    z.strictObject({ mask: whole(1, 65_535) }),
    z.strictObject({ below: whole(0, 65_535), hysteresis: whole(0, 65_535).default(0) }),
  ],
  {
    error: ({ input }) =>
      input === undefined
        ? 'is required'
        : 'must be {mask: 1} or {below: 1500, hysteresis: 100}, with numbers up to 65535',
  },
);

const registerSchema = mapping({
  function: z.union(
    [z.literal(1), z.literal(2), z.literal(3), z.literal(4)],
    'must be 1 (coils), 2 (discrete inputs), 3 (holding registers) or 4 (input registers)',
  ),
  base: whole(0, 65_535).default(0),
  occupied: occupiedSchema,
  sentinels: list(whole(0, 65_535)),
});

/** Silent for three of these is offline. */
const HEARTBEAT_DEFAULT_S = { polled: 30, radio: 10_800 };

const parkingGatewaySchema = mapping({
  name,
  driver: z.enum(PARKING_GATEWAY_DRIVERS),
  address: z.string().max(500).default(''),
  unit: whole(0, 255).default(1),
  poll_ms: whole(100, 3_600_000).default(1_000),
  heartbeat_s: whole(1, 604_800).optional(),
  register: registerSchema.nullable().default(null),
  application: z.string().max(200).nullable().default(null),
  gateway: z.string().nullable().default(null),
}).transform((gateway) => ({
  ...gateway,
  heartbeat_s:
    gateway.heartbeat_s ?? (isModbus(gateway.driver) ? HEARTBEAT_DEFAULT_S.polled : HEARTBEAT_DEFAULT_S.radio),
}));

const placeSchema = mapping({
  name,
  parking_gateway: name.nullable().default(null),
  sensor: z.string().trim().min(1).max(100).nullable().default(null),
  codec: z.enum(SENSOR_CODECS).nullable().default(null),
  occupied_below_mm: whole(0, 65_535).nullable().default(null),
  hysteresis_mm: whole(0, 65_535).nullable().default(null),
});

const cameraSchema = mapping({
  device_id: cameraDeviceIdSchema,
  name,
  driver: cameraDriver,
  address,
  username: text,
  password: z.string().max(2_000).optional(),
  push_key: z
    .string()
    .regex(/^[^\s/?#]{0,200}$/, 'must fit into an address')
    .optional(),
  timezone,
  lpr_position: z.enum(CAMERA_DIRECTIONS).default('in/out'),
  plate_side: z.enum(PLATE_SIDES).default('front'),
  debounce_time: whole(0, 3_600).default(15),
  direction_source: z.enum(['reported', 'position']).default('reported'),
  product: z.string().nullable().default(null),
  gateway: z.string().nullable().default(null),
});

const zoneSchema = mapping({
  name,
  description: text,
  spot_count: whole(0, 1_000_000).default(0),
  occupancy_max_hours: whole(1, 87_600).default(72),
  tariffs: names,
  products: list(productSchema),
  places: list(placeSchema),
  lpr_cameras: list(cameraSchema),
  terminals: list(terminalSchema),
});

const lotSchema = mapping({
  name,
  address: text,
  timezone,
  offline_exit: z.enum(['open', 'deny']).default('open'),
  autonomy_days: whole(7, 366).default(31),
  latitude: coordinate(90),
  longitude: coordinate(180),
  gateways: list(gatewaySchema),
  zones: list(zoneSchema),
  parking_gateways: list(parkingGatewaySchema),
});

const memberSchema = mapping({
  name,
  description: text,
  email: z.union([z.literal(''), email], 'must be an e-mail address').default(''),
  license_plate: plate,
  groups: names,
});

const groupSchema = mapping({ name, description: text, zones: names, tariffs: names });

const accountSchema = mapping({
  name,
  contact_email: z.union([z.literal(''), email], 'must be an e-mail address').default(''),
  remote_control: flag.default(1),
  public_key_requests: flag.default(0),
  users: list(userSchema),
  api_tokens: list(apiTokenSchema),
  tariffs: list(tariffSchema),
  lots: list(lotSchema),
  members: list(memberSchema),
  groups: list(groupSchema),
  license_plate_alerts: list(licensePlateAlertSchema),
  key_logs: list(keyLogSchema),
  rgb_displays: list(rgbDisplaySchema),
  weblinks: list(weblinkSchema),
});

export const siteSchema = mapping({ version: z.literal(1), accounts: list(accountSchema) });

export type Site = z.output<typeof siteSchema>;
export type SiteAccount = Site['accounts'][number];
export type SiteLot = SiteAccount['lots'][number];
export type SiteZone = SiteLot['zones'][number];

/** The reason of an issue in the words of somebody who writes YAML; undefined leaves the schema's own. */
export function siteReason(issue: { code: string; input?: unknown } & Record<string, unknown>): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeReason(String(issue.expected), issue.input);
    case 'invalid_value':
      if (issue.input === undefined) return 'is required';
      return `must be ${(issue.values as unknown[])
        .map(String)
        .join(', ')
        .replace(/, ([^,]*)$/, ' or $1')}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${String(issue.minimum)}`;
    case 'too_big':
      return `must be at most ${String(issue.maximum)}${issue.origin === 'string' ? ' characters' : ''}`;
    default:
      return undefined;
  }
}

const TYPE_WORDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of keys to values',
};

function typeReason(expected: string, input: unknown): string {
  if (input === undefined) return 'is required';
  const reason = `must be ${TYPE_WORDS[expected] ?? expected}`;
  return expected === 'string' && typeof input !== 'object' ? `${reason}: put it in quotes` : reason;
}
