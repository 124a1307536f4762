import { z } from '@hono/zod-openapi';
import { LOT_LIST, PARKING_GATEWAY_LIST, PLACE_LIST, ZONE_LIST } from '../../store/lists/lot-lists.js';
import { insertRow, lotOf, lotOfZone, updateRow } from '../../store/queries/rows.js';
import type { Db } from '../../store/cloud-store.js';
import type { Endpoint } from '../endpoint.js';
import { driverField, idField, nameField, wholeField } from '../fields.js';
import { type ResourceDeps, resourceEndpoints } from '../resource-endpoints.js';
import { sameLot } from '../same-lot.js';
import { parkingPlaceRecord } from '../site-records.js';
import { parkingPlaceSchema } from '../site-resources.js';

const fields = {
  /** Its zone's; need not be given. */
  lot_id: idField.optional(),
  zone_id: idField,
  name: nameField,
  parking_gateway_id: idField.nullable(),
  sensor: z.string().trim().min(1).max(100).nullable(),
  codec: driverField.nullable(),
  occupied_below_mm: wholeField(0, 65_535).nullable(),
  hysteresis_mm: wholeField(0, 65_535).nullable(),
};

/** /v2/parking-places. A place stays in its lot; its parking gateway is of the same. */
export function parkingPlaceEndpoints(deps: ResourceDeps): Endpoint[] {
  return resourceEndpoints(deps, {
    path: '/v2/parking-places',
    one: 'a parking place',
    many: 'parking places',
    tag: 'Parking places',
    table: PLACE_LIST,
    item: parkingPlaceSchema,
    items: (rows) => rows.map(parkingPlaceRecord),
    newBody: z.strictObject({
      ...fields,
      parking_gateway_id: fields.parking_gateway_id.default(null),
      sensor: fields.sensor.default(null),
      codec: fields.codec.default(null),
      occupied_below_mm: fields.occupied_below_mm.default(null),
      hysteresis_mm: fields.hysteresis_mm.default(null),
    }),
    changeBody: z.strictObject(fields).partial(),
    references: { lot_id: LOT_LIST, zone_id: ZONE_LIST, parking_gateway_id: PARKING_GATEWAY_LIST },
    async insert(tx, { caller: { account_id }, body, now }) {
      const lot_id = await lotOfZone(tx, body.zone_id);
      await checkLots(tx, lot_id, body);
      const initially = { occupancy_status: 'free' as const, changed_at: null };
      const times = { created_at: now, updated_at: now };
      return insertRow(tx, 'parking_places', { ...body, lot_id, account_id, ...initially, ...times });
    },
    async update(tx, { row: { id, lot_id }, body, now }) {
      await checkLots(tx, lot_id, body);
      await updateRow(tx, 'parking_places', { id, set: { ...body, updated_at: now } });
    },
    managed: 'parking_places',
    lots: ({ lot_id }) => [lot_id],
  });
}

async function checkLots(
  tx: Db,
  lot_id: number,
  body: { lot_id?: number | undefined; zone_id?: number | undefined; parking_gateway_id?: number | null | undefined },
): Promise<void> {
  sameLot(lot_id, {
    lot_id: body.lot_id,
    zone_id: await lotOf(tx, 'zones', body.zone_id),
    parking_gateway_id: await lotOf(tx, 'parking_gateways', body.parking_gateway_id),
  });
}
