/** Products: barriers, gates, chains, bollards. A product cannot move to another lot; a product in no lot can get one. */
import { ApiError, LOT_CHANGE_REFUSED, OPERATION_UNFINISHED } from '../../../shared/errors.js';
import { productTypeOf } from '../../../shared/ids.js';
import { invalidateTokensOfProduct } from '../denial/denial-queries.js';
import {
  type AnswerOf,
  checkSameLot,
  type Columns,
  defineResource,
  integerField,
  isoOrNull,
  listTable,
  lotOf,
  plainColumns,
  representationOf,
  type Values,
} from '../../rest/entry.js';
import { insertRow } from '../../kernel/store/entry.js';
import { productHeldBy } from '../../site/entry.js';
import { changeIdentifier } from './change-identifier.js';
import { type ProductDetails, productsByIds } from './product-detail-queries.js';
import {
  BARRIER_BLOCK,
  POSITIONED_BLOCK,
  PRODUCT_BLOCK_FIELDS,
  PRODUCT_ERROR,
  PRODUCT_FIELDS,
} from './product-fields.js';

export const PRODUCT_LIST = listTable({
  from: 'products',
  id: 'products.id',
  scope: { account_id: 'products.account_id', lot_id: 'products.lot_id', lotless: true },
  fields: PRODUCT_FIELDS,
  filters: {
    account_id: integerField('products.account_id'),
    product_type_id: integerField('products.product_type_id'),
  },
  rows: productsByIds,
  scopeOf: (product) => product,
});

export const PRODUCT_ANSWER = representationOf('Product', PRODUCT_FIELDS);

/** Represents a product with its block, under the name of its type alone. */
export function representProduct({ product, block, error }: ProductDetails): AnswerOf<typeof PRODUCT_FIELDS> {
  const type = block === null ? undefined : productTypeOf(product.product_type_id);
  const positionedIf = (name: typeof type) =>
    block !== null && name === type ? POSITIONED_BLOCK.of(block) : undefined;
  return PRODUCT_ANSWER.of(product, {
    is_paired: product.master_key_sealed === null ? 0 : 1,
    last_seen: isoOrNull(product.seen_at),
    product_error_id: error?.id ?? null,
    product_error: error === null ? null : PRODUCT_ERROR.of(error),
    barrier: block !== null && type === 'barrier' ? BARRIER_BLOCK.of(block) : undefined,
    gate: positionedIf('gate'),
    chain: positionedIf('chain'),
    bollard: positionedIf('bollard'),
    brain: positionedIf('brain'),
  });
}

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
  fields: PRODUCT_FIELDS,
  initially: () => ({
    hardware_version: '',
    firmware_version: '',
    status: 'offline',
    advertisement_data: '',
    last_moved: null,
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
    item: PRODUCT_ANSWER.schema,
    items: (rows) => rows.map(representProduct),
    gatewaysOf: ({ lot_id }) => [lot_id],
    changeErrors: [LOT_CHANGE_REFUSED, OPERATION_UNFINISHED],
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
      const block = { ...firstBlock(isBarrier), ...plainColumns(PRODUCT_BLOCK.fields, given) };
      await insertRow(tx, 'product_blocks', { ...block, product_id, created_at: now, updated_at: now } as never);
    },
    async beforeUpdate(tx, { row, given }) {
      const { lot, zone } = given as { lot?: number; zone?: number };
      const target = (await lotOf(tx, 'zones', zone)) ?? lot ?? row.lot_id;
      const isMove = row.lot_id !== null && target !== row.lot_id;
      if (isMove || (lot !== undefined && lot !== target)) throw new ApiError(LOT_CHANGE_REFUSED);
      await changeIdentifier(tx, row.product, given.device_id);
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
  fields: PRODUCT_BLOCK_FIELDS,
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
