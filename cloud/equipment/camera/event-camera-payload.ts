/** A camera as the legacy lpr_event shows it (specification, "lpr_event"). */
import type { LprEvent } from '../../../shared/events/event-schemas.js';
import { productTypeOf } from '../../../shared/ids.js';
import type { Row } from '../../kernel/store/entry.js';

type EventCamera = LprEvent['data']['lpr_camera'];

/** The camera's columns that the event shows: never its password. */
export type LotEntryCamera = Pick<
  Row<'lpr_cameras'>,
  | 'id'
  | 'device_id'
  | 'device_serial'
  | 'name'
  | 'account_id'
  | 'zone_id'
  | 'status'
  | 'lpr_position'
  | 'mac'
  | 'created_at'
  | 'updated_at'
> & {
  /** null: the camera opens nothing. */
  product_type_id: number | null;
};

/** `other` for a camera at a barrier or brain, `standalone` for one without a product (REST contract, "Allowed values"). */
export function connectedDeviceType(product_type_id: number | null): EventCamera['connected_device_type'] {
  if (product_type_id === null) return 'standalone';
  const type = productTypeOf(product_type_id);
  return type === 'gate' || type === 'chain' || type === 'bollard' ? type : 'other';
}
