import type { Beacon } from '../sensor/beacons.js';
import { createListeners } from '../waiting/listeners.js';
import type { Advertisement, RadioState } from './radio.js';

/** Those who listen to a radio: `port` is the radio's own part of the port. */
export function createRadioListeners() {
  const states = createListeners<RadioState>();
  const advertisements = createListeners<Advertisement>();
  const beacons = createListeners<Beacon>();
  const slotsWanted = createListeners<readonly string[]>();
  return {
    states,
    advertisements,
    beacons,
    slotsWanted,
    port: {
      onStateChange: states.add,
      onAdvertisement: advertisements.add,
      onBeacon: beacons.add,
      onSlotWanted: slotsWanted.add,
    },
  };
}
