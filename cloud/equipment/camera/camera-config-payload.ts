/** A camera in the configuration of its gateway (`shared/gateway-config.ts`). */
import type { ConfigItem } from '../../../shared/gateway-config.js';
import { withoutSecrets } from '../../rest/field/masked-secret-codec.js';
import type { Row } from '../../kernel/store/entry.js';
import { decodeMapping } from '../sensor/register-codec.js';

/**
 * @param secrets opened; empty texts where the camera has none
 * @param withheld those that are not for this gateway's device; the name to sign in with goes with its password
 */
export function cameraConfigItem(
  camera: Omit<Row<'lpr_cameras'>, 'account_id'> & { product_device_id: string | null },
  { password, push_key }: { password: string; push_key: string },
  withheld: readonly string[],
): Record<Exclude<keyof ConfigItem<'cameras'>, 'mapping'>, unknown> & Pick<ConfigItem<'cameras'>, 'mapping'> {
  const mapping = decodeMapping(camera.mapping);
  const isSignIn = !withheld.includes('password');
  return {
    id: camera.id,
    device_id: camera.device_id,
    name: camera.name,
    driver: camera.driver,
    address: withheld.includes('address') ? withoutSecrets(camera.address) : camera.address,
    username: isSignIn ? camera.username : '',
    password: isSignIn ? password : '',
    push_key: withheld.includes('push_key') ? '' : push_key,
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
