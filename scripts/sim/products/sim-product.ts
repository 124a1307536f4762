/** Port: one product of the car park, as people and tests operate it. */
import type { ConditionState, PermanentPosition } from '../../../shared/product-protocol/status-block.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { LinkChange, ProductChange } from '../control/control-schemas.js';

export interface ProductView {
  device_id: string;
  state: ConditionState;
  permanent_position: PermanentPosition;
  car_on_top: boolean;
  jammed: boolean;
  sensor_dirty: boolean;
  rtc_valid: boolean;
  /** Percent; null: it has none. */
  battery: number | null;
  in_range: boolean;
  /** dBm */
  rssi: number;
  /** Physical movements since the start, including auto-close. */
  moves: number;
}

export interface SimProduct {
  /** The product as one gateway hears it; without `gateway`, as every gateway does that has no link change. */
  view(gateway?: GatewayUuid): ProductView;
  change(change: ProductChange): void;
  /** Changes how one gateway hears the product; values that are not named stay as they are. */
  changeLink(change: LinkChange, gateway: GatewayUuid): void;
  close(): Promise<void>;
}
