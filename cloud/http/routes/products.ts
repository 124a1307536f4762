import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { PRODUCT_TYPE_IDS, productDeviceIdSchema, productTypeOf } from '../../../shared/ids.js';
import type { Secrets } from '../../secrets/secrets.js';
import { LOT_LIST, ZONE_LIST } from '../../store/lists/lot-lists.js';
import { PRODUCT_LIST } from '../../store/lists/product-lists.js';
import { invalidateTokensOfProduct } from '../../store/queries/keys.js';
import { insertRow, lotOf, updateRow } from '../../store/queries/rows.js';
import type { Endpoint } from '../endpoint.js';
import { flagField, idField, latitudeField, longitudeField, nameField, wholeField } from '../fields.js';
import { productRecord } from '../records.js';
import { type ResourceDeps, resourceEndpoints } from '../resource-endpoints.js';
import { productSchema } from '../resources.js';
import { sameLot } from '../same-lot.js';

const fields = {
  name: nameField,
  latitude: latitudeField,
  longitude: longitudeField,
  lot_id: idField,
  zone_id: idField,
  power_type: z.enum(['battery', 'solar_battery', 'mains']),
  /** 32 bytes; written only. */
  master_key: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'Must be 64 hex digits')
    .toLowerCase(),
};

/** /v2/products. A product stays in its lot. */
export function productEndpoints(deps: ResourceDeps & { secrets: Pick<Secrets, 'seal'> }): Endpoint[] {
  const { secrets } = deps;
  /** A key that is told, not paired over the air, is of the first epoch. */
  const pairing = (master_key: string) => ({
    master_key_sealed: secrets.seal('product_master_key', Buffer.from(master_key, 'hex')),
    pairing_epoch: 1,
  });
  return resourceEndpoints(deps, {
    path: '/v2/products',
    one: 'a product',
    many: 'products',
    tag: 'Products',
    table: PRODUCT_LIST,
    item: productSchema,
    items: (rows) => rows.map(productRecord),
    newBody: z.strictObject({
      ...fields,
      device_id: productDeviceIdSchema,
      product_type_id: z.literal(Object.values(PRODUCT_TYPE_IDS)),
      latitude: fields.latitude.default(null),
      longitude: fields.longitude.default(null),
      lot_id: fields.lot_id.nullable().optional(),
      zone_id: fields.zone_id.nullable().default(null),
      power_type: fields.power_type.default('battery'),
      master_key: fields.master_key.optional(),
      is_autoclose: flagField.default(0),
      autoclose_time: wholeField(1, 255).default(10),
    }),
    changeBody: z.strictObject(fields).partial(),
    references: { lot_id: LOT_LIST, zone_id: ZONE_LIST },
    async insert(tx, { caller: { account_id }, body, now }) {
      const { master_key, is_autoclose, autoclose_time, ...columns } = body;
      const times = { created_at: now, updated_at: now };
      const ofZone = await lotOf(tx, 'zones', columns.zone_id);
      const lot_id = ofZone === undefined ? (columns.lot_id ?? null) : ofZone;
      sameLot(lot_id, { lot_id: columns.lot_id ?? undefined });
      const product_id = await insertRow(tx, 'products', {
        ...columns,
        account_id,
        lot_id,
        hardware_version: '',
        firmware_version: '',
        status: 'offline',
        advertisement_data: '',
        battery_status: null,
        rssi: null,
        seen_at: null,
        ...(master_key === undefined ? { master_key_sealed: null, pairing_epoch: 0 } : pairing(master_key)),
        ...times,
      });
      await insertRow(tx, 'product_blocks', {
        product_id,
        // A barrier's state has no word for unknown.
        state: productTypeOf(columns.product_type_id) === 'barrier' ? 'closed' : 'unknown',
        is_autoclose,
        autoclose_time,
        is_car_on_top: 0,
        permanent_position: 'disabled',
        ...times,
      });
      return product_id;
    },
    async update(tx, { row: { id, lot_id }, body: { master_key, ...columns }, now }) {
      const ofZone = await lotOf(tx, 'zones', columns.zone_id);
      const target = ofZone ?? columns.lot_id ?? lot_id;
      // What is in no lot yet may be put into one.
      const isMove = lot_id !== null && target !== lot_id;
      if (isMove || (columns.lot_id !== undefined && columns.lot_id !== target)) throw new ApiError(1000);
      const paired = master_key === undefined ? {} : pairing(master_key);
      await updateRow(tx, 'products', { id, set: { ...columns, lot_id: target, ...paired, updated_at: now } });
      if (master_key !== undefined) await invalidateTokensOfProduct(tx, { id, now });
    },
    managed: 'products',
    removing: (tx, { row: { id }, now }) => invalidateTokensOfProduct(tx, { id, now }),
    lots: ({ lot_id }) => [lot_id],
    uniqueField: 'device_id',
    changeErrors: [1000],
  });
}
