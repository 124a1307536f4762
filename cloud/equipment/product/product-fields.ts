/** What is known of a product, of its block and of the error that it reports. */
import { z } from '@hono/zod-openapi';
import {
  BARRIER_STATES,
  PERMANENT_POSITIONS,
  PRESENCE_STATES,
  PRODUCT_STATES,
} from '../../../shared/events/event-schemas.js';
import { PRODUCT_TYPE_IDS, PRODUCT_TYPES, type ProductType, productDeviceIdSchema } from '../../../shared/ids.js';
import {
  always,
  computed,
  datetime,
  flag,
  FLAG,
  flagField,
  HIDDEN,
  id,
  identity,
  inFile,
  inner,
  inRest,
  keptElsewhere,
  latitudeValue,
  longitudeValue,
  nameValue,
  neverDeleted,
  OPEN_WORD,
  orNull,
  referenceTo,
  representationOf,
  required,
  secretField,
  shown,
  shownAs,
  TIME_OR_NULL,
  TIMES,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';

const ofProduct = { id: identity, product_id: shown(id) };

/** Once a gateway hears the product, its reports set what bodies have. */
const BARRIER_FIELDS = {
  ...ofProduct,
  /** A barrier has no state for unknown. */
  state: shown({
    schema: z.enum(BARRIER_STATES),
    of: (state: (typeof PRODUCT_STATES)[number]) => (state === 'opened' ? 'opened' : 'closed'),
  }),
  is_autoclose: flagField(0, { isFixed: true }),
  is_car_on_top: shown(FLAG),
  /** Seconds. */
  autoclose_time: withDefault(wholeValue(1, 255), 10, { isFixed: true }),
  ...TIMES,
};

const POSITIONED_FIELDS = {
  ...ofProduct,
  state: shown(z.enum(PRODUCT_STATES)),
  permanent_position: shown(z.enum(PERMANENT_POSITIONS)),
  deleted_at: neverDeleted,
  ...TIMES,
};

export const BARRIER_BLOCK = representationOf('BarrierBlock', BARRIER_FIELDS);
export const POSITIONED_BLOCK = representationOf('ProductBlock', POSITIONED_FIELDS);

/** Each product has one block, whose type says which of them answers show. */
export const PRODUCT_BLOCK_FIELDS = {
  ...BARRIER_FIELDS,
  ...POSITIONED_FIELDS,
  type: inFile(required(z.enum(PRODUCT_TYPES), { columns: {}, form: HIDDEN })),
  /** The auto-close setting, which a permanent position hides in `is_autoclose`. null: never reported. */
  autoclose_setting: inner('integer null'),
};

/** The error that a product reports now; one row per product, deleted when it reports none. */
export const PRODUCT_ERROR_FIELDS = {
  id: identity,
  product_id: inner({ partOf: 'products' }),
  error_code: shown(z.string()),
  jammed: shown(FLAG),
  sensor_dirty: shown(FLAG),
  pin_broken: shown(FLAG),
  rtcc_invalid: shown(FLAG),
  battery_empty: shown(FLAG),
  master_key_not_set: shown(FLAG),
  deleted_at: always(z.null(), null),
  ...TIMES,
};

export const PRODUCT_ERROR = representationOf('ProductError', PRODUCT_ERROR_FIELDS);

const positionedBlock = computed(POSITIONED_BLOCK.schema.optional());

export const PRODUCT_FIELDS = {
  id: identity,
  account_id: inner({ partOf: 'accounts' }),
  device_id: required(productDeviceIdSchema, {
    filter: true,
    form: OPEN_WORD,
    says: 'The identifier that stands on the product. Until the product is paired, it can be corrected.',
  }),
  name: required(nameValue, { filter: true, sort: true }),
  power_type: withDefault(z.enum(['battery', 'solar_battery', 'mains']), 'battery', {
    form: OPEN_WORD,
    says: 'What the product runs on.',
  }),
  /** 32 bytes. Without one the product must be paired over the air. */
  master_key: secretField(
    z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
      .toLowerCase(),
    { column: 'master_key_sealed', purpose: 'product_master_key', encoding: 'hex', sentTo: null, isOptional: true },
  ),
  is_autoclose: keptElsewhere(BARRIER_FIELDS.is_autoclose),
  autoclose_time: keptElsewhere(BARRIER_FIELDS.autoclose_time),
  lot: inRest(
    referenceTo('lots', { id: 'lot_id', isNullable: true, isOptional: true, staysNamed: true, filter: true }),
  ),
  zone: inRest(
    referenceTo('zones', { id: 'zone_id', isNullable: true, default: null, staysNamed: true, filter: true }),
  ),
  product_type_id: inRest(
    required<number>(
      z.literal(Object.values(PRODUCT_TYPE_IDS)).openapi({ type: 'integer', enum: Object.values(PRODUCT_TYPE_IDS) }),
      { isFixed: true, form: shownAs(id) },
    ),
  ),
  type: inFile(
    required(z.enum(PRODUCT_TYPES), {
      columns: { product_type_id: { from: (type: ProductType): number => PRODUCT_TYPE_IDS[type] } },
      form: HIDDEN,
    }),
  ),
  hardware_version: shown(z.string(), { says: 'The version of the hardware of the product.' }),
  firmware_version: shown(z.string(), { says: 'The version of the firmware of the product.' }),
  latitude: inRest(withDefault(latitudeValue, null)),
  longitude: inRest(withDefault(longitudeValue, null)),
  status: shown(z.enum(PRESENCE_STATES), { filter: true }),
  advertisement_data: shown(z.string(), {
    says: 'What the product last sent over Bluetooth without being asked, in hexadecimal digits.',
  }),
  is_paired: computed(flag, {
    says: 'Whether the product has a key, with which gateways can open it: 1 or 0.',
  }),
  last_seen: computed(datetime.nullable(), {
    says: 'When a gateway last heard the product: its state is of then. null: none ever did.',
  }),
  last_moved: shown(TIME_OR_NULL, {
    says: 'When the product was last seen in another position than before, whatever moved it. null: never.',
  }),
  battery_status: shown(z.number().nullable(), { sort: true }),
  product_error_id: computed(id.nullable()),
  product_error: computed(orNull(PRODUCT_ERROR.schema)),
  rssi: shown(z.number().nullable(), { sort: true }),
  ...TIMES,
  barrier: computed(BARRIER_BLOCK.schema.optional()),
  gate: positionedBlock,
  chain: positionedBlock,
  bollard: positionedBlock,
  brain: positionedBlock,
  /** The pairing epoch (`ep` of the product protocol). */
  pairing_epoch: inner('integer'),
  seen_at: inner('bigint null'),
  /** The serial of the last admin record; 0: none was made. */
  admin_serial: inner({ type: 'bigint', default: 0 }),
  /** When the last record that corrects its clock was made. */
  clock_record_at: inner('bigint null'),
  /** The generation of the guests' slot (product protocol, `gen`): the credentials of keys carry it. It begins anew with each pairing. */
  guest_generation: inner({ type: 'integer', default: 0 }),
};
