/** A parking gateway and its places in the configuration of the gateway that reads it (`shared/gateway-config.ts`). */
import type { ConfigItem } from '../../../shared/gateway-config.js';
import { withoutSecrets } from '../../rest/field/masked-secret-codec.js';
import type { Row } from '../../kernel/store/entry.js';
import { decodeMapping, decodeRegister } from './register-codec.js';

/** @param withheld the fields whose secrets are not for this gateway's device */
export function parkingGatewayConfigItem(
  row: Row<'parking_gateways'>,
  places: readonly Row<'parking_places'>[],
  withheld: readonly string[],
): ConfigItem<'sensors'> {
  const { id, name, driver, address, unit, poll_ms, heartbeat_s, register, application } = row;
  const mapping = decodeMapping(row.mapping);
  return {
    id,
    name,
    driver,
    address: withheld.includes('address') ? withoutSecrets(address) : address,
    unit,
    poll_ms,
    heartbeat_s,
    register: decodeRegister(register),
    application: withheld.includes('application') ? null : application,
    ...(mapping === null ? {} : { mapping }),
    places: places.map(placeConfigItem),
  };
}

function placeConfigItem(place: Row<'parking_places'>): ConfigItem<'sensors'>['places'][number] {
  const { id, zone_id, name, sensor, codec, occupied_below_mm, hysteresis_mm } = place;
  return { id, zone_id, name, sensor: sensor ?? '', codec, occupied_below_mm, hysteresis_mm };
}
