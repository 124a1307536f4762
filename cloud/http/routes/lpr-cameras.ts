import { z } from '@hono/zod-openapi';
import { CAMERA_DIRECTIONS, PLATE_SIDES } from '../../../shared/events/event-schemas.js';
import { cameraDeviceIdSchema } from '../../../shared/ids.js';
import type { Secrets } from '../../secrets/secrets.js';
import type { Db } from '../../store/cloud-store.js';
import { GATEWAY_LIST, ZONE_LIST } from '../../store/lists/lot-lists.js';
import { CAMERA_LIST, PRODUCT_LIST } from '../../store/lists/product-lists.js';
import { insertRow, lotOf, lotOfZone, onlyGatewayOf, updateRow } from '../../store/queries/rows.js';
import type { Endpoint } from '../endpoint.js';
import { driverField, idField, nameField, textField, timezoneField, urlField, wholeField } from '../fields.js';
import { type ResourceDeps, resourceEndpoints } from '../resource-endpoints.js';
import { sameLot } from '../same-lot.js';
import { lprCameraRecord } from '../site-records.js';
import { lprCameraSchema } from '../site-resources.js';

const fields = {
  zone_id: idField,
  device_id: cameraDeviceIdSchema,
  name: nameField,
  driver: driverField,
  address: urlField,
  username: textField,
  password: textField,
  push_key: z.string().regex(/^[^\s/?#]{0,200}$/, 'Must fit into an address'),
  timezone: timezoneField,
  lpr_position: z.enum(CAMERA_DIRECTIONS),
  plate_side: z.enum(PLATE_SIDES),
  debounce_time: wholeField(0, 3_600),
  direction_source: z.enum(['reported', 'position']),
  product_id: idField.nullable(),
  /** The lot's only one need not be named. */
  gateway_id: idField.nullable(),
};

/** /v2/lpr-cameras. What a camera opens and the gateway that reads it are of its zone's lot. */
export function lprCameraEndpoints(deps: ResourceDeps & { secrets: Pick<Secrets, 'seal'> }): Endpoint[] {
  const { secrets } = deps;
  /** undefined: left as it is. */
  const sealed = ({ password, push_key }: { password?: string | undefined; push_key?: string | undefined }) => ({
    password_sealed: password === undefined ? undefined : secrets.seal('camera_password', password),
    push_key_sealed: push_key === undefined ? undefined : secrets.seal('camera_push_key', push_key),
  });
  return resourceEndpoints(deps, {
    path: '/v2/lpr-cameras',
    one: 'a camera',
    many: 'cameras',
    tag: 'LPR cameras',
    table: CAMERA_LIST,
    item: lprCameraSchema,
    items: (rows) => rows.map(lprCameraRecord),
    newBody: z.strictObject({
      ...fields,
      address: fields.address.default(''),
      username: fields.username.default(''),
      password: fields.password.default(''),
      push_key: fields.push_key.default(''),
      timezone: fields.timezone.default('UTC'),
      lpr_position: fields.lpr_position.default('in/out'),
      plate_side: fields.plate_side.default('front'),
      debounce_time: fields.debounce_time.default(15),
      direction_source: fields.direction_source.default('reported'),
      product_id: fields.product_id.default(null),
      gateway_id: fields.gateway_id.optional(),
    }),
    changeBody: z.strictObject(fields).partial(),
    references: { zone_id: ZONE_LIST, product_id: PRODUCT_LIST, gateway_id: GATEWAY_LIST },
    async insert(tx, { caller: { account_id }, body, now }) {
      const { password, push_key, ...columns } = body;
      const lot_id = await lotOfZone(tx, body.zone_id);
      const gateway_id = body.gateway_id === undefined ? await onlyGatewayOf(tx, lot_id) : body.gateway_id;
      await checkLots(tx, lot_id, { ...body, gateway_id });
      return insertRow(tx, 'lpr_cameras', {
        ...columns,
        account_id,
        gateway_id,
        password_sealed: secrets.seal('camera_password', password),
        push_key_sealed: secrets.seal('camera_push_key', push_key),
        device_serial: null,
        status: 'offline',
        mac: null,
        last_seen: null,
        created_at: now,
        updated_at: now,
      });
    },
    async update(tx, { row, body, now }) {
      const { password, push_key, ...columns } = body;
      const zone_id = body.zone_id ?? row.zone_id;
      await checkLots(tx, await lotOfZone(tx, zone_id), {
        product_id: body.product_id === undefined ? row.product_id : body.product_id,
        gateway_id: body.gateway_id === undefined ? row.gateway_id : body.gateway_id,
      });
      const set = { ...columns, ...sealed({ password, push_key }), updated_at: now };
      await updateRow(tx, 'lpr_cameras', { id: row.id, set });
    },
    managed: 'lpr_cameras',
    lots: ({ lot_id }) => [lot_id],
    uniqueField: 'device_id',
  });
}

async function checkLots(
  tx: Db,
  lot_id: number,
  camera: { product_id: number | null; gateway_id: number | null },
): Promise<void> {
  const { product_id, gateway_id } = camera;
  sameLot(lot_id, {
    product_id: await lotOf(tx, 'products', product_id),
    gateway_id: await lotOf(tx, 'gateways', gateway_id),
  });
}
