/** Products: barriers, gates, chains, bollards. A product cannot move to another lot; a product in no lot can get one. */
import { z } from '@hono/zod-openapi';
import { ApiError, LOT_CHANGE_REFUSED, OPERATION_UNFINISHED } from '../../../shared/errors.js';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import { PRODUCT_TYPE_IDS, PRODUCT_TYPES, productDeviceIdSchema, productTypeOf } from '../../../shared/ids.js';
import { invalidateTokensOfProduct } from '../denial/denial-queries.js';
import {
  checkSameLot,
  choiceField,
  type Columns,
  defineResource,
  flagValue,
  integerField,
  latitudeValue,
  listTable,
  longitudeValue,
  lotOf,
  nameValue,
  plainColumns,
  referenceTo,
  required,
  secretField,
  textField,
  type Values,
  wholeValue,
  withDefault,
} from '../../rest/entry.js';
import { insertRow } from '../../kernel/store/entry.js';
import { productHeldBy } from '../../site/entry.js';
import { productsByIds } from './product-detail-queries.js';
import { representProduct, productSchema } from './product-payload.js';

export const PRODUCT_LIST = listTable({
  from: 'products',
  id: 'products.id',
  scope: { account_id: 'products.account_id', lot_id: 'products.lot_id', lotless: true },
  filters: {
    account_id: integerField('products.account_id'),
    lot_id: integerField('products.lot_id'),
    zone_id: integerField('products.zone_id'),
    product_type_id: integerField('products.product_type_id'),
    status: choiceField('products.status', PRESENCE_STATES),
    device_id: textField('products.device_id'),
    name: textField('products.name'),
  },
  sorts: {
    name: 'products.name',
    battery_status: 'products.battery_status',
    rssi: 'products.rssi',
  },
  rows: productsByIds,
  scopeOf: (product) => product,
});

/** Settings in `product_blocks`. Once a gateway hears the product, its reports set them. */
const settings = {
  is_autoclose: withDefault(flagValue, 0, { isFixed: true }),
  /** Seconds. */
  autoclose_time: withDefault(wholeValue(1, 255), 10, { isFixed: true }),
};

const keptInBlock = {
  is_autoclose: { ...settings.is_autoclose, columns: {} },
  autoclose_time: { ...settings.autoclose_time, columns: {} },
};

/** A key that the operator gives, unlike one that was paired over the air, has the first pairing epoch. */
const pairingEpochColumn = ({ master_key }: Values): Columns => (master_key === undefined ? {} : { pairing_epoch: 1 });

/** The block of a new product. A barrier has no state for unknown. */
const firstBlock = (isBarrier: boolean): Columns => ({
  state: isBarrier ? 'closed' : 'unknown',
  is_car_on_top: 0,
  permanent_position: 'disabled',
});

export const PRODUCT = defineResource({
  table: 'products',
  one: 'product',
  many: 'products',
  fields: {
    device_id: required(productDeviceIdSchema, { isFixed: true }),
    name: required(nameValue),
    power_type: withDefault(z.enum(['battery', 'solar_battery', 'mains']), 'battery'),
    /** 32 bytes, never shown. Without one the product must be paired over the air. */
    master_key: secretField(
      z
        .string()
        .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
        .toLowerCase(),
      { column: 'master_key_sealed', purpose: 'product_master_key', encoding: 'hex', sentTo: null, isOptional: true },
    ),
    ...keptInBlock,
  },
  restFields: {
    product_type_id: required(
      z.literal(Object.values(PRODUCT_TYPE_IDS)).openapi({ type: 'integer', enum: Object.values(PRODUCT_TYPE_IDS) }),
      { isFixed: true },
    ),
    latitude: withDefault(latitudeValue, null),
    longitude: withDefault(longitudeValue, null),
    lot: referenceTo('lots', { id: 'lot_id', isNullable: true, isOptional: true, staysNamed: true }),
    zone: referenceTo('zones', { id: 'zone_id', isNullable: true, default: null, staysNamed: true }),
  },
  fileFields: {
    type: required(z.enum(PRODUCT_TYPES), {
      columns: { product_type_id: { from: (type: (typeof PRODUCT_TYPES)[number]) => PRODUCT_TYPE_IDS[type] } },
    }),
  },
  initially: () => ({
    hardware_version: '',
    firmware_version: '',
    status: 'offline',
    advertisement_data: '',
    pairing_epoch: 0,
  }),
  /** Another account may have the same device, which obeys the account whose key it holds. */
  unique: [{ field: 'device_id', within: 'account', column: 'device_id' }],
  /** Its keys become invalid. */
  deletion: { heldBy: productHeldBy, before: invalidateTokensOfProduct },
  rest: {
    path: '/v2/products',
    tag: 'Products',
    list: PRODUCT_LIST,
    item: productSchema,
    items: (rows) => rows.map(representProduct),
    gatewaysOf: ({ lot_id }) => [lot_id],
    changeErrors: [LOT_CHANGE_REFUSED],
    deleteErrors: [OPERATION_UNFINISHED],
    async beforeInsert(tx, { given }) {
      const { lot, zone } = given as { lot?: number | null; zone: number | null };
      const ofZone = await lotOf(tx, 'zones', zone);
      const lot_id = ofZone === undefined ? (lot ?? null) : ofZone;
      checkSameLot(lot_id, { lot_id: lot ?? undefined });
      return { lot_id, ...pairingEpochColumn(given) };
    },
    async afterInsert(tx, { id: product_id, given, now }) {
      const isBarrier = productTypeOf(Number(given.product_type_id)) === 'barrier';
      const block = { ...firstBlock(isBarrier), ...plainColumns(settings, given) };
      await insertRow(tx, 'product_blocks', { ...block, product_id, created_at: now, updated_at: now } as never);
    },
    async beforeUpdate(tx, { row, given }) {
      const { lot, zone } = given as { lot?: number; zone?: number };
      const target = (await lotOf(tx, 'zones', zone)) ?? lot ?? row.lot_id;
      const isMove = row.lot_id !== null && target !== row.lot_id;
      if (isMove || (lot !== undefined && lot !== target)) throw new ApiError(LOT_CHANGE_REFUSED);
      return { lot_id: target, ...pairingEpochColumn(given) };
    },
    async afterUpdate(tx, { row: { id }, given, now }) {
      if (given.master_key !== undefined) await invalidateTokensOfProduct(tx, { id, now });
    },
  },
  file: {
    at: ['lots', 'zones', 'products'],
    reportedAs: { pairing_epoch: 'master_key' },
    declare: (item) => ({ values: pairingEpochColumn(item) }),
    // The product was paired again after a file had given its key.
    settled: ({ pairing_epoch }) => (Number(pairing_epoch) > 1 ? ['master_key_sealed', 'pairing_epoch'] : []),
  },
});

/** The settings of a product, and its state until a gateway hears it. */
export const PRODUCT_BLOCK = defineResource({
  table: 'product_blocks',
  one: 'block',
  many: 'blocks',
  fields: settings,
  fileFields: { type: { ...required(z.enum(PRODUCT_TYPES)), columns: {} } },
  initially: ({ type }) => firstBlock(type === 'barrier'),
  parentColumn: 'product_id',
  unique: [],
  file: {
    at: ['lots', 'zones', 'products'],
    isSameItem: true,
    isPart: true,
    // The product's reports set them once a gateway has heard it.
    settled: (_block, product) => (product?.seen_at === null ? [] : ['is_autoclose', 'autoclose_time']),
  },
});
