/** Recorded uplinks of the Bosch TPS110. */
import type { RecordedUplink } from './recorded-uplink.js';

const COLLECTION = 'ThingsBoard data-converters, VENDORS, bosch_tps110, ChirpStack';

export const BOSCH_TPS110: RecordedUplink[] = [
  {
    source: `${COLLECTION}, payload and result`,
    port: 2,
    hex: '01 12',
    published: { type: 'heartbeat', occupied: true, temperature: 18 },
    occupancy: 'occupied',
    values: { temperature: 18 },
  },
  {
    source: `${COLLECTION}, payload_1 and result_1`,
    port: 1,
    hex: '01',
    published: { type: 'parking status', occupied: true },
    occupancy: 'occupied',
    values: {},
  },
  {
    source: `${COLLECTION}, payload_2 and result_2`,
    port: 3,
    hex: '00 00 00 00 99 02 00 d1 00 05 00 00 00 1d 02 02 00',
    published: {
      type: 'startup',
      occupied: false,
      resetCause: 'Power On Reset',
      firmwareVersion: '2.29.0',
      debugInfo: '00 00 00 00 99 02 00 d1 00 05 00 00',
    },
    occupancy: 'free',
    values: { firmware: '2.29.0' },
  },
];
