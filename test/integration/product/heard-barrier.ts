import type { ProductReport } from '../../../shared/uplink-reports.js';

/** What a gateway reports of a barrier that it hears well. */
export const heardBarrier = (
  product_id: number,
  device_id: string,
  more: Partial<ProductReport> = {},
): ProductReport => ({
  product_id,
  device_id: device_id as ProductReport['device_id'],
  status: 'online',
  state: 'closed',
  permanent_position: 'disabled',
  is_car_on_top: false,
  is_autoclose: true,
  autoclose_time: 10,
  battery_status: 87,
  rssi: -60,
  errors: 0,
  advertisement_data: 'ffff50',
  seen_ago_ms: 100,
  ...more,
});
