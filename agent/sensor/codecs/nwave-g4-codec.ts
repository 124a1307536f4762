/** Nwave parking sensors of the fourth generation (NPS405): port 1 reports a change, 2 is a heartbeat, 3 a start, 10 a driver's tag. */
import { checkLength, occupancyOf, type SensorCodec, signedByte } from './sensor-codec.js';

const STATUS = 1;
const HEARTBEAT = 2;
const STARTUP = 3;
const TAG = 10;
const STARTUP_STATE_AT = 4;

export const decodeNwaveG4: SensorCodec = (uplink) => {
  const { port, bytes } = uplink;
  const [first = 0, second = 0, third = 0] = bytes;
  const occupancy = occupancyOf((first & 1) === 1);
  if (port === STATUS) {
    checkLength(uplink, 1);
    return { occupancy, values: { previous_state_minutes: minutesOf(first >> 1) } };
  }
  if (port === HEARTBEAT) {
    checkLength(uplink, 3, 6);
    return { occupancy, values: { battery_mv: 2_500 + second * 4, temperature: signedByte(third) / 2 + 10 } };
  }
  if (port === STARTUP) {
    checkLength(uplink, 5);
    return {
      occupancy: occupancyOf(((bytes[STARTUP_STATE_AT] ?? 0) & 1) === 1),
      values: { firmware: `${first}.${second}.${third}` },
    };
  }
  if (port === TAG) {
    checkLength(uplink, 5, 6);
    // A tag that was seen without a vehicle says nothing of the place.
    return { occupancy: occupancy === 'occupied' ? occupancy : null, values: {} };
  }
  return { occupancy: null, values: {} };
};

/**
 * Reads how long the place was in its former state: exact minutes, then steps of 5 and of 60, and at last "660 or
 * more".
 */
function minutesOf(coded: number): number {
  if (coded < 90) return coded;
  if (coded < 120) return 90 + (coded - 90) * 5;
  return Math.min(660, 240 + (coded - 120) * 60);
}
