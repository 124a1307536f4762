/** Recorded uplinks of the Milesight EM310-UDL and EM400-UDL. A distance says nothing of a place by itself: each has its threshold. */
import type { RecordedUplink } from './recorded-uplink.js';

const MAKER = 'Milesight SensorDecoders';
const PORT = 85;
const place = { occupied_below_mm: 1_700, hysteresis_mm: 100 };

export const MILESIGHT_UDL: RecordedUplink[] = [
  {
    source: `${MAKER}, EM310-UDL, example of its page; the same in The Things Network device repository, em310-udl, "example 1"`,
    port: PORT,
    hex: '01 75 5c 03 82 44 08 04 00 01',
    published: { battery: 92, distance: 2116, position: 'tilt' },
    // What is tilted measures something else.
    occupancy: null,
    values: { battery: 92, distance_mm: 2_116, is_tilted: true },
    place,
  },
  {
    source: `${MAKER}, EM400-UDL, first example of its page`,
    port: PORT,
    hex: '01 75 5c 03 67 01 01 04 82 44 08 05 00 01',
    published: { battery: 92, temperature: 25.7, distance: 2116, position: 'tilt' },
    occupancy: null,
    values: { battery: 92, distance_mm: 2_116, is_tilted: true },
    place,
  },
  {
    source: `${MAKER}, EM400-UDL, second example of its page: alarms`,
    port: PORT,
    hex: '83 67 e8 00 01 84 82 41 06 01',
    published: { temperature: 23.2, temperature_abnormal: true, distance: 1601, distance_alarming: true },
    occupancy: 'occupied',
    values: { distance_mm: 1_601 },
    place,
  },
  {
    source: `${MAKER}, EM400-UDL, third example of its page: a location`,
    port: PORT,
    hex: '06 88 36 bf 77 01 f0 00 09 07 22',
    published: { longitude: 24.62495, latitude: 118.030576, motion_status: 'moving', geofence_status: 'unset' },
    occupancy: null,
    values: {},
    place,
  },
  {
    source: `${MAKER}, EM400-UDL, data frame of its page: the payload in it`,
    port: PORT,
    hex: '01 75 64 03 67 0b 01 04 82 3b 01 05 00 01',
    published: { battery: 100, temperature: 26.7, distance: 315, position: 'tilt' },
    occupancy: null,
    values: { battery: 100, distance_mm: 315, is_tilted: true },
    place,
  },
];
