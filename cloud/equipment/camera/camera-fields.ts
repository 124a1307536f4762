/** What is known of a camera that reads plates. */
import { z } from 'zod';
import { cameraDriverSchema } from '../../../shared/drivers/camera-drivers.js';
import {
  CAMERA_DIRECTIONS,
  CONNECTED_DEVICE_TYPES,
  LPR_CAMERA_STATES,
  PLATE_SIDES,
} from '../../../shared/events/event-schemas.js';
import { cameraDeviceIdSchema } from '../../../shared/ids.js';
import {
  accountField,
  addressValue,
  computed,
  credentialValue,
  flagField,
  gatewayOfLot,
  HIDDEN,
  holdsAddressSecret,
  identity,
  inner,
  inRest,
  MASKED_ADDRESS,
  nameValue,
  neverDeleted,
  oneLine,
  OPEN_WORD,
  referenceTo,
  required,
  secretField,
  shown,
  TIME_OR_NULL,
  TIMES,
  timezoneValue,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';
import { PARKING_GATEWAY_FIELDS } from '../sensor/parking-gateway-fields.js';

export const CAMERA_FIELDS = {
  id: identity,
  device_id: required(cameraDeviceIdSchema, { filter: true }),
  device_serial: shown(z.string().nullable()),
  name: required(nameValue, { filter: true, sort: true }),
  account_id: accountField(),
  zone: inRest(referenceTo('zones', { id: 'zone_id', filter: true })),
  gateway: gatewayOfLot(),
  /** The product that it opens. */
  product: referenceTo('products', { id: 'product_id', isNullable: true, default: null, among: 'lot' }),
  status: shown(z.enum(LPR_CAMERA_STATES), {
    filter: true,
    says: 'Whether the camera is there, and why it is not: it refuses the password, sleeps, or was reset.',
  }),
  problem: computed(z.string().nullable(), {
    column: 'text null',
    says: 'Why the camera does not work as it should: as its gateway reported, or that its secret is wanted, because another device is its gateway now; null: nothing is known against it.',
  }),
  driver: required(cameraDriverSchema, { form: OPEN_WORD }),
  address: withDefault(addressValue, '', {
    form: MASKED_ADDRESS,
    holdsSecret: holdsAddressSecret,
    says: 'The network address: host name or IP address, with a port where it is not the usual one.',
  }),
  username: withDefault(credentialValue, '', { form: HIDDEN }),
  password: secretField(credentialValue, {
    column: 'password_sealed',
    purpose: 'camera_password',
    encoding: 'utf8',
    sentTo: 'address',
  }),
  /** The secret part of the address that the camera pushes to: the camera sends it. */
  push_key: secretField(oneLine(z.string().regex(/^[^\s/?#]{0,200}$/, 'must fit into an address')), {
    column: 'push_key_sealed',
    purpose: 'camera_push_key',
    encoding: 'utf8',
    sentTo: null,
  }),
  /** JSON: the holders of its secrets (`rest/resource/secret-holder-codec.ts`); null: an older version wrote the row. */
  secrets_for: inner('text null'),
  timezone: withDefault(timezoneValue, 'UTC'),
  lpr_position: withDefault(z.enum(CAMERA_DIRECTIONS), 'in/out'),
  plate_side: withDefault(z.enum(PLATE_SIDES), 'front'),
  debounce_time: withDefault(wholeValue(0, 3_600), 15, {
    says: 'The seconds within which the same plate in the same direction counts as a repeat.',
  }),
  direction_source: withDefault(z.enum(['reported', 'position']), 'reported', {
    says: 'Whether the camera reports the direction, or its position says it.',
  }),
  min_confidence: withDefault(z.number().min(0).max(1), 0, {
    says: 'How sure the camera must be of a plate, from 0 to 1: a read that it is less sure of is a sighting, and opens nothing.',
  }),
  /** How to read what it posts, as data (`shared/drivers/camera-mapping.ts`); null: as its driver does. */
  mapping: PARKING_GATEWAY_FIELDS.mapping,
  push_without_key: flagField(0, {
    says: 'Whether the camera is heard at a path of its vendor, in which no key fits, by its address alone: 1 or 0. Whoever has that address can then send reads in its name.',
  }),
  connected_device_type: computed(z.enum(CONNECTED_DEVICE_TYPES)),
  mac: shown(z.string().nullable()),
  last_seen: shown(TIME_OR_NULL),
  deleted_at: neverDeleted,
  ...TIMES,
};

/** The columns that a row of deleted cameras keeps, besides those of all. */
export const KEPT_OF_CAMERAS = ['zone_id', 'device_id', 'device_serial', 'status', 'lpr_position', 'mac'] as const;
