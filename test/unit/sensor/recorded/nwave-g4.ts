/** Recorded uplinks of the Nwave NPS405, the fourth generation. */
import type { RecordedUplink } from './recorded-uplink.js';

const COLLECTION = 'The Things Network device repository, vendor nwave, examples of the codec nps405';

export const NWAVE_G4: RecordedUplink[] = [
  {
    source: `${COLLECTION}, "Parking Status"`,
    port: 1,
    hex: '95',
    published: { type: 'parking_status', occupied: true, previous_state_duration: 74 },
    occupancy: 'occupied',
    values: { previous_state_minutes: 74 },
  },
  {
    source: `${COLLECTION}, "User Registration"`,
    port: 10,
    hex: 'd1 20 1f 34 56 78',
    published: { type: 'user_registration', occupied: true, previous_state_duration: 160, tag_id: '1F345678' },
    occupancy: 'occupied',
    values: {},
  },
  {
    source: `${COLLECTION}, "Heartbeat"`,
    port: 2,
    hex: '00 d3 d8 00 59 0b',
    published: { type: 'heartbeat', occupied: false, battery_voltage: 3.344, temperature: -10 },
    occupancy: 'free',
    values: { battery_mv: 3_344, temperature: -10 },
  },
  {
    source: `${COLLECTION}, "Startup"`,
    port: 3,
    hex: '02 04 09 02 00',
    published: { type: 'startup', firmware_version: '2.4.9', reset_cause: 'power_on', occupied: false },
    occupancy: 'free',
    values: { firmware: '2.4.9' },
  },
];
