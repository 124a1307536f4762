import { z } from '@hono/zod-openapi';
import { registerSchema } from '../../../shared/gateway-config.js';
import { GATEWAY_LIST, LOT_LIST, PARKING_GATEWAY_LIST } from '../../store/lists/lot-lists.js';
import { insertRow, lotOf, onlyGatewayOf, updateRow } from '../../store/queries/rows.js';
import type { Endpoint } from '../endpoint.js';
import { driverField, idField, nameField, wholeField } from '../fields.js';
import { type ResourceDeps, resourceEndpoints } from '../resource-endpoints.js';
import { sameLot } from '../same-lot.js';
import { parkingGatewayRecord } from '../site-records.js';
import { parkingGatewaySchema } from '../site-resources.js';

const fields = {
  lot_id: idField,
  name: nameField,
  /** The lot's only one need not be named. */
  gateway_id: idField.nullable(),
  driver: driverField,
  address: z.string().max(500),
  unit: wholeField(0, 255).nullable(),
  poll_ms: wholeField(100, 3_600_000),
  heartbeat_s: wholeField(1, 604_800),
  register: registerSchema.nullable(),
  application: z.string().max(200).nullable(),
};

const isModbus = (driver: string): boolean => driver.startsWith('modbus-');
const HEARTBEAT_DEFAULT_S = { polled: 30, radio: 10_800 };

/** /v2/parking-gateways: what parking sensors report to. It stays in its lot; the gateway that reads it is of the same. */
export function parkingGatewayEndpoints(deps: ResourceDeps): Endpoint[] {
  return resourceEndpoints(deps, {
    path: '/v2/parking-gateways',
    one: 'a parking gateway',
    many: 'parking gateways',
    tag: 'Parking gateways',
    table: PARKING_GATEWAY_LIST,
    item: parkingGatewaySchema,
    items: (rows) => rows.map(parkingGatewayRecord),
    newBody: z.strictObject({
      ...fields,
      gateway_id: fields.gateway_id.optional(),
      address: fields.address.default(''),
      unit: fields.unit.optional(),
      poll_ms: fields.poll_ms.default(1_000),
      heartbeat_s: fields.heartbeat_s.optional(),
      register: fields.register.default(null),
      application: fields.application.default(null),
    }),
    changeBody: z.strictObject(fields).partial(),
    references: { lot_id: LOT_LIST, gateway_id: GATEWAY_LIST },
    async insert(tx, { caller: { account_id }, body, now }) {
      const { lot_id, driver } = body;
      const gateway_id = body.gateway_id === undefined ? await onlyGatewayOf(tx, lot_id) : body.gateway_id;
      sameLot(lot_id, { gateway_id: await lotOf(tx, 'gateways', gateway_id) });
      return insertRow(tx, 'parking_gateways', {
        ...body,
        account_id,
        gateway_id,
        unit: body.unit ?? (isModbus(driver) ? 1 : null),
        heartbeat_s: body.heartbeat_s ?? (isModbus(driver) ? HEARTBEAT_DEFAULT_S.polled : HEARTBEAT_DEFAULT_S.radio),
        register: body.register === null ? null : JSON.stringify(body.register),
        status: 'offline',
        last_seen: null,
        created_at: now,
        updated_at: now,
      });
    },
    async update(tx, { row: { id, lot_id }, body: { register, ...columns }, now }) {
      sameLot(lot_id, { lot_id: columns.lot_id, gateway_id: await lotOf(tx, 'gateways', columns.gateway_id) });
      const registerText = register ? JSON.stringify(register) : register;
      await updateRow(tx, 'parking_gateways', { id, set: { ...columns, register: registerText, updated_at: now } });
    },
    managed: 'parking_gateways',
    lots: ({ lot_id }) => [lot_id],
  });
}
