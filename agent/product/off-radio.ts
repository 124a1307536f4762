import { GATEWAY_ERROR } from '../../shared/gateway-error-types.js';
import { type Radio, RadioError } from './radio.js';

/** The radio of a gateway that is configured to have none. */
export function createOffRadio(): Radio {
  return {
    state: 'off',
    onStateChange: () => () => {},
    onAdvertisement: () => () => {},
    onSlotWanted: () => () => {},
    onBeacon: () => () => {},
    wantBeacons() {},
    async connect() {
      throw new RadioError(GATEWAY_ERROR.BLUETOOTH, 'Bluetooth is switched off: BLE_HCI is "off"');
    },
    async close() {},
  };
}
