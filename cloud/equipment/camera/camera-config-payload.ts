/** A camera in the configuration of its gateway (`shared/gateway-config.ts`). */
import type { ConfigItem } from '../../../shared/gateway-config.js';
import type { Row } from '../../kernel/store/entry.js';
import { decodeMapping } from '../sensor/register-codec.js';

/** @param secrets opened; empty texts where the camera has none */
export function cameraConfigItem(
  camera: Omit<Row<'lpr_cameras'>, 'account_id'> & { product_device_id: string | null },
  secrets: { password: string; push_key: string },
): Record<Exclude<keyof ConfigItem<'cameras'>, 'mapping'>, unknown> & Pick<ConfigItem<'cameras'>, 'mapping'> {
  const mapping = decodeMapping(camera.mapping);
  return {
    id: camera.id,
    device_id: camera.device_id,
    name: camera.name,
    driver: camera.driver,
    address: camera.address,
    username: camera.username,
    ...secrets,
    push_without_key: camera.push_without_key === 1,
    timezone: camera.timezone,
    zone_id: camera.zone_id,
    lpr_position: camera.lpr_position,
    plate_side: camera.plate_side,
    debounce_time: camera.debounce_time,
    direction_source: camera.direction_source,
    min_confidence: camera.min_confidence,
    product_device_id: camera.product_device_id,
    ...(mapping === null ? {} : { mapping }),
  };
}
