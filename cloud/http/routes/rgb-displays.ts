import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { GATEWAY_LIST, LOT_LIST, ZONE_LIST } from '../../store/lists/lot-lists.js';
import { DISPLAY_LIST } from '../../store/lists/record-lists.js';
import { insertRow, lotOf, onlyGatewayOf, updateRow } from '../../store/queries/rows.js';
import type { Endpoint } from '../endpoint.js';
import { driverField, idField, nameField, textField, urlField } from '../fields.js';
import { rgbDisplayRecord, rgbDisplaySchema } from '../record-resources.js';
import { type ResourceDeps, resourceEndpoints } from '../resource-endpoints.js';
import { sameLot } from '../same-lot.js';

const fields = {
  name: nameField,
  lot_id: idField,
  /** What is counted; null: the whole lot. */
  zone_id: idField.nullable(),
  /** The lot's only one need not be named. */
  gateway_id: idField.nullable(),
  /** Empty: nothing writes to it yet. */
  driver: z.union([z.literal(''), driverField], 'Must be lower-case letters, digits and dashes'),
  address: urlField,
  stale_text: textField,
};

/** /v2/rgb-displays. A display stays in its lot; what it counts and the gateway that writes to it are of the same. */
export function rgbDisplayEndpoints(deps: ResourceDeps): Endpoint[] {
  return resourceEndpoints(deps, {
    path: '/v2/rgb-displays',
    one: 'a display',
    many: 'displays',
    tag: 'RGB displays',
    table: DISPLAY_LIST,
    item: rgbDisplaySchema,
    items: (rows) => rows.map(rgbDisplayRecord),
    newBody: z.strictObject({
      ...fields,
      lot_id: fields.lot_id.optional(),
      zone_id: fields.zone_id.default(null),
      gateway_id: fields.gateway_id.optional(),
      driver: fields.driver.default(''),
      address: fields.address.default(''),
      stale_text: fields.stale_text.default(''),
    }),
    changeBody: z.strictObject(fields).partial(),
    references: { lot_id: LOT_LIST, zone_id: ZONE_LIST, gateway_id: GATEWAY_LIST },
    async insert(tx, { caller: { account_id }, body, now }) {
      const lot_id = (await lotOf(tx, 'zones', body.zone_id)) ?? body.lot_id;
      if (lot_id === undefined) throw new ApiError(23, { field: 'lot_id', message: 'Needed without a zone_id' });
      const gateway_id = body.gateway_id === undefined ? await onlyGatewayOf(tx, lot_id) : body.gateway_id;
      sameLot(lot_id, { lot_id: body.lot_id, gateway_id: await lotOf(tx, 'gateways', gateway_id) });
      const times = { created_at: now, updated_at: now };
      return insertRow(tx, 'rgb_displays', { ...body, account_id, lot_id, gateway_id, ...times });
    },
    async update(tx, { row: { id, lot_id }, body, now }) {
      sameLot(lot_id, {
        lot_id: body.lot_id,
        zone_id: await lotOf(tx, 'zones', body.zone_id),
        gateway_id: await lotOf(tx, 'gateways', body.gateway_id),
      });
      await updateRow(tx, 'rgb_displays', { id, set: { ...body, updated_at: now } });
    },
    managed: 'rgb_displays',
    // Displays are in no section of a gateway's configuration.
    lots: () => [],
  });
}
