/** Payload of lot_change: the state of one product (specification, "Events"). */
import type { LotChangeEvent } from '../../../shared/events/event-schemas.js';
import { productTypeOf } from '../../../shared/ids.js';
import type { Row } from '../../kernel/store/entry.js';
import { POSITIONED_BLOCK, PRODUCT_ERROR } from './product-fields.js';

/** A product with all that its event shows. */
export interface ProductView {
  product: Row<'products'>;
  /** null: no gateway has ever seen the product. */
  block: Row<'product_blocks'> | null;
  error: Row<'product_errors'> | null;
  lot: Row<'lots'> | null;
}

type EventData = LotChangeEvent['data'];

/** @param event_id of the command that this answers; left out for a gateway's report */
export function lotChangeEvent({ product, block, error, lot }: ProductView, event_id?: string): LotChangeEvent {
  return {
    lot_id: product.lot_id,
    ...(event_id === undefined ? {} : { event_id }),
    data: {
      id: product.id,
      device_id: product.device_id,
      name: product.name,
      lot_id: product.lot_id,
      product_type_id: product.product_type_id,
      latitude: product.latitude,
      longitude: product.longitude,
      status: product.status,
      battery_status: product.battery_status,
      rssi: product.rssi,
      ...(error === null ? {} : { product_error_id: error.id, product_error: PRODUCT_ERROR.of(error) }),
      deleted_at: null,
      created_at: new Date(product.created_at).toISOString(),
      updated_at: new Date(product.updated_at).toISOString(),
      ...(block === null ? {} : eventBlock(product.product_type_id, block)),
      lot: lot === null ? null : eventLot(lot),
    },
  };
}

function eventLot(lot: Row<'lots'>): EventData['lot'] {
  return {
    id: lot.id,
    lot_cluster_id: lot.id,
    account_id: lot.account_id,
    name: lot.name,
    address: lot.address,
    latitude: lot.latitude,
    longitude: lot.longitude,
    timezone: lot.timezone,
    created_at: new Date(lot.created_at).toISOString(),
    updated_at: new Date(lot.updated_at).toISOString(),
  };
}

const flag = (value: number): 0 | 1 => (value === 1 ? 1 : 0);

/** The barrier block has its own spellings in events; the others are as in REST. */
function eventBlock(product_type_id: number, block: Row<'product_blocks'>) {
  const type = productTypeOf(product_type_id);
  if (type === undefined) return {};
  if (type === 'barrier') {
    const barrier: NonNullable<EventData['barrier']> = {
      id: block.id,
      product_id: block.product_id,
      state: block.state === 'opened' ? 'opened' : 'closed',
      is_auto_close: flag(block.is_autoclose),
      is_car_on_top: flag(block.is_car_on_top),
      auto_close_time: block.autoclose_time,
      create_at: new Date(block.created_at).toISOString(),
      updated_at: new Date(block.updated_at).toISOString(),
    };
    return { barrier };
  }
  return { [type]: POSITIONED_BLOCK.of(block) };
}
