/** Cameras as REST shows them. */
import { z } from '@hono/zod-openapi';
import {
  CAMERA_DIRECTIONS,
  CONNECTED_DEVICE_TYPES,
  LPR_CAMERA_STATES,
  PLATE_SIDES,
} from '../../../shared/events/event-schemas.js';
import { anyMappingSchema } from '../../../shared/drivers/sensor-mapping.js';
import { datetime, flag, flagOf, id, isoOrNull, times, timesOf } from '../../rest/request/answer-schemas.js';
import { maskedAddress } from '../../rest/resource/masked-secret-codec.js';
import { withheldProblem } from '../../rest/resource/secret-holder-codec.js';
import { connectedDeviceType } from './event-camera-payload.js';
import type { CameraRow } from './camera-queries.js';
import { decodeMapping } from '../sensor/register-codec.js';

/** Password, user name and push key are never shown, nor a password in the address. */
export const lprCameraSchema = z
  .strictObject({
    id,
    device_id: z.string(),
    device_serial: z.string().nullable(),
    name: z.string(),
    account_id: id,
    zone_id: id,
    gateway_id: id.nullable(),
    product_id: id.nullable(),
    status: z
      .enum(LPR_CAMERA_STATES)
      .describe('Whether the camera is there, and why it is not: it refuses the password, sleeps, or was reset.'),
    problem: z.string().nullable().openapi({
      description:
        'Why the camera does not work as it should: as its gateway reported, or that its secret is wanted, because another device is its gateway now; null: nothing is known against it.',
    }),
    driver: z.string(),
    address: z
      .string()
      .describe('The network address: host name or IP address, with a port where it is not the usual one.'),
    timezone: z.string(),
    lpr_position: z.enum(CAMERA_DIRECTIONS),
    plate_side: z.enum(PLATE_SIDES),
    debounce_time: z
      .number()
      .int()
      .describe('The seconds within which the same plate in the same direction counts as a repeat.'),
    direction_source: z
      .enum(['reported', 'position'])
      .describe('Whether the camera reports the direction, or its position says it.'),
    min_confidence: z
      .number()
      .describe(
        'How sure the camera must be of a plate, from 0 to 1: a read that it is less sure of is a sighting, and opens nothing.',
      ),
    mapping: anyMappingSchema.nullable(),
    push_without_key: flag.describe(
      'Whether the camera is heard at a path of its vendor, in which no key fits, by its address alone: 1 or 0. Whoever has that address can then send reads in its name.',
    ),
    connected_device_type: z.enum(CONNECTED_DEVICE_TYPES),
    mac: z.string().nullable(),
    last_seen: datetime.nullable(),
    deleted_at: datetime.nullable(),
    ...times,
  })
  .openapi('LprCamera');

export type LprCamera = z.infer<typeof lprCameraSchema>;

export function representLprCamera(row: CameraRow): LprCamera {
  return {
    id: row.id,
    device_id: row.device_id,
    device_serial: row.device_serial,
    name: row.name,
    account_id: row.account_id,
    zone_id: row.zone_id,
    gateway_id: row.gateway_id,
    product_id: row.product_id,
    status: row.status,
    problem: withheldProblem(row) ?? row.problem,
    driver: row.driver,
    address: maskedAddress(row.address),
    timezone: row.timezone,
    lpr_position: row.lpr_position,
    plate_side: row.plate_side,
    debounce_time: row.debounce_time,
    direction_source: row.direction_source,
    min_confidence: row.min_confidence,
    mapping: decodeMapping(row.mapping),
    push_without_key: flagOf(row.push_without_key),
    connected_device_type: connectedDeviceType(row.product_type_id),
    mac: row.mac,
    last_seen: isoOrNull(row.last_seen),
    deleted_at: null,
    ...timesOf(row),
  };
}
