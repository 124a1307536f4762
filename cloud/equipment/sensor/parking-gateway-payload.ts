/** Parking gateways as REST shows them. */
import { z } from '@hono/zod-openapi';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { modbusRegisterWireSchema } from '../../../shared/drivers/modbus-register.js';
import { anyMappingSchema } from '../../../shared/drivers/sensor-mapping.js';
import { datetime, id, isoOrNull, times, timesOf } from '../../rest/field/answer-schemas.js';
import { MASK, maskedAddress } from '../../rest/field/masked-secret-codec.js';
import { withheldProblem } from '../../rest/resource/secret-holder-codec.js';
import type { Row } from '../../kernel/store/entry.js';
import type { ParkingGatewayRow } from './parking-gateway-queries.js';
import { decodeMapping, decodeRegister } from './register-codec.js';

export const parkingGatewaySchema = z
  .strictObject({
    id,
    name: z.string(),
    account_id: id,
    lot_id: id,
    gateway_id: id.nullable(),
    driver: z.string(),
    address: z
      .string()
      .describe(
        'The address of the parking gateway: host name or IP address, with a port where it is not the usual one.',
      ),
    unit: z.number().int().nullable().describe('The Modbus unit; null where the driver has none.'),
    poll_ms: z.number().int().describe('The milliseconds between two reads of the registers.'),
    heartbeat_s: z
      .number()
      .int()
      .describe(
        'The seconds for which sensors may be silent; after three times as long the parking gateway is offline.',
      ),
    register: modbusRegisterWireSchema
      .nullable()
      .describe('Which registers of the parking gateway are read, and how; null where the driver reads none.'),
    application: z
      .string()
      .nullable()
      .describe('The application at the network server whose sensors these are; null where the driver has none.'),
    mapping: anyMappingSchema.nullable(),
    status: z.enum(PRESENCE_STATES),
    problem: z.string().nullable().openapi({
      description:
        'Why the parking gateway does not work as it should: that its secret is wanted, because another device is its gateway now; null: nothing is known against it.',
    }),
    last_seen: datetime.nullable(),
    ...times,
  })
  .openapi('ParkingGateway');

export type ParkingGateway = z.infer<typeof parkingGatewaySchema>;

/** Whether `application` is the key in the path of pushes; with other drivers it is the name of an application. */
export const isPushKey = ({ driver }: { driver: unknown }): boolean => driver === 'http';

export function maskedApplication(row: Pick<Row<'parking_gateways'>, 'driver' | 'application'>): string | null {
  const { application } = row;
  return isPushKey(row) && application !== null && application !== '' ? MASK : application;
}

/** Hides the password in the address, and the key of pushes. */
export function representParkingGateway(row: ParkingGatewayRow): ParkingGateway {
  const { name, account_id, lot_id, gateway_id, driver, unit, poll_ms, heartbeat_s, status } = row;
  const address = maskedAddress(row.address);
  const application = maskedApplication(row);
  const register = decodeRegister(row.register);
  const mapping = decodeMapping(row.mapping);
  const device = { driver, address, unit, poll_ms, heartbeat_s, register, application, mapping };
  const seen = { status, problem: withheldProblem(row), last_seen: isoOrNull(row.last_seen) };
  return { id: row.id, name, account_id, lot_id, gateway_id, ...device, ...seen, ...timesOf(row) };
}
