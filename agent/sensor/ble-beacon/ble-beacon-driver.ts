/** Driver of sensors that advertise their state over Bluetooth. They are heard by the radio's own scan, and never connected to. */
import { type BeaconLayout, beaconLayoutSchema } from '../../../shared/drivers/beacon-layout.js';
import { hexName } from '../../../shared/drivers/hex-names.js';
import type { SensorItem } from '../../../shared/gateway-config.js';
import { groupBy } from '../../../shared/grouping.js';
import type { Beacon, BeaconRadio, WantedBeacons } from '../beacons.js';
import { tableCodec } from '../codecs/table-codec.js';
import { isWantedBeacon } from '../decide-wanted-beacon.js';
import { createFaults } from '../faults.js';
import type { SensorDriver, SensorDriverDeps, SensorListener } from '../sensor-source.js';
import { errorText } from '../../../shared/error-text.js';

const MAPPING = 'mapping';
const RADIO = 'radio';
const DATA = 'data';
const RADIO_FAULTS: Readonly<Record<Exclude<BeaconRadio['state'], 'on'>, string>> = {
  off: 'Bluetooth is switched off: BLE_HCI is "off"',
  unavailable: 'the Bluetooth radio is unavailable',
};
const NO_LAYOUT =
  'mapping must say where in the advertisement the state stands, such as {company: 89, byte: 4, occupied: {mask: 1}}';

/** All parking gateways of this driver listen to the one scan of the radio. */
export function createBleBeaconDriver({ radio }: Pick<SensorDriverDeps, 'radio'>): SensorDriver {
  const listening = new Map<symbol, WantedBeacons>();
  const want = () => radio.wantBeacons([...listening.values()]);
  return {
    name: 'ble-beacon',
    open(item, listener) {
      const layout = beaconLayoutSchema.safeParse(item.mapping);
      const faults = createFaults(listener, [MAPPING, RADIO, DATA]);
      const stop = new AbortController();
      queueMicrotask(() => {
        if (stop.signal.aborted) return;
        if (!layout.success) {
          faults.set(MAPPING, NO_LAYOUT);
          return;
        }
        const places = placesOf(item);
        const hear = hearerOf(layout.data, { places, listener, faults });
        const notifyState = () => {
          if (radio.state === 'on') faults.clear(RADIO);
          else faults.set(RADIO, RADIO_FAULTS[radio.state]);
        };
        const stops = [radio.onStateChange(notifyState), radio.onBeacon(hear)];
        const key = Symbol(item.name);
        listening.set(key, wantedOf(layout.data, [...places.keys()]));
        stop.signal.addEventListener('abort', () => {
          for (const each of stops) each();
          listening.delete(key);
          want();
        });
        notifyState();
        want();
      });
      return {
        close() {
          stop.abort();
          faults.close();
          return Promise.resolve();
        },
      };
    },
  };
}

type Place = SensorItem['places'][number];

const placesOf = ({ places }: SensorItem): Map<string, Place[]> => groupBy(places, ({ sensor }) => hexName(sensor));

function hearerOf(
  layout: BeaconLayout,
  to: { places: ReadonlyMap<string, Place[]>; listener: SensorListener; faults: ReturnType<typeof createFaults> },
): (beacon: Beacon) => void {
  const { places, listener, faults } = to;
  const wanted = [wantedOf(layout, [...places.keys()])];
  const decode = tableCodec({ ...layout, port: null });
  return (beacon) => {
    // Other parking gateways want other beacons.
    if (!isWantedBeacon(wanted, beacon)) return;
    for (const place of places.get(sensorOf(layout, beacon) ?? '') ?? []) hear(place, beacon);
  };

  function hear(place: Place, { address, bytes }: Beacon): void {
    try {
      const { occupancy, values } = decode({ port: 0, bytes }, place, listener.occupancyOf(place.id));
      faults.clear(DATA, place.sensor);
      const raw = `${address}: ${Buffer.from(bytes).toString('hex')}, value ${values.value}`;
      listener.onReadings([{ parking_place_id: place.id, occupancy, measured_ms: null, raw }]);
    } catch (error) {
      // Whatever one advertisement does, the scan goes on.
      const reason = errorText(error);
      faults.set(DATA, `the advertisement of ${place.name}'s sensor ${place.sensor}: ${reason}`, place.sensor);
    }
  }
}

/**
 * Selects the advertisements that a layout describes.
 * @param addresses of the places' beacons, used when the layout has no serial number
 */
function wantedOf(layout: BeaconLayout, addresses: readonly string[]): WantedBeacons {
  const { company, service, serial } = layout;
  return {
    kind: service === null ? 'manufacturer' : 'service',
    id: service === null ? company : Number.parseInt(service, 16),
    addresses: serial === null ? addresses : null,
  };
}

/** Returns the name by which a place knows this beacon: its radio address, or the serial number in its data; null: its data are too short. */
function sensorOf({ serial }: BeaconLayout, { address, bytes }: Beacon): string | null {
  if (serial === null) return address;
  const found = [...bytes.subarray(serial.byte, serial.byte + serial.length)];
  if (found.length < serial.length) return null;
  if (serial.order === 'little') found.reverse();
  return found.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
