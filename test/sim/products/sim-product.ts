/** Port: one product of the car park, as people and tests play with it. */
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
  /** Physical movements since start; those it makes by itself count. */
  moves: number;
}

export interface SimProduct {
  /** Towards one gateway, or towards all that nothing else was said of. */
  view(gateway?: GatewayUuid): ProductView;
  change(change: ProductChange): void;
  /** How one gateway hears the product; what is not named stays as it is for all. */
  changeLink(change: LinkChange, gateway: GatewayUuid): void;
  close(): Promise<void>;
}
