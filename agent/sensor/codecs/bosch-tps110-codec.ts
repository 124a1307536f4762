/** Bosch TPS110 parking lot sensor: port 1 reports a change, port 2 is a heartbeat, port 3 a start. */
import { checkLength, occupancyOf, type SensorCodec, signedByte } from './sensor-codec.js';

const STATUS = 1;
const HEARTBEAT = 2;
const STARTUP = 3;
/** A start: 12 bytes for its maker, 3 of the firmware's version, the cause of the reset, the state. */
const STARTUP_BYTES = 17;
const VERSION_AT = 12;
const STATE_AT = 16;

export const decodeBoschTps110: SensorCodec = (uplink) => {
  const { port, bytes } = uplink;
  const state = (at: number) => occupancyOf(((bytes[at] ?? 0) & 1) === 1);
  if (port === STATUS) {
    checkLength(uplink, 1);
    return { occupancy: state(0), values: {} };
  }
  if (port === HEARTBEAT) {
    // Old firmware sends no temperature.
    checkLength(uplink, 1, 2);
    return { occupancy: state(0), values: bytes.length === 1 ? {} : { temperature: signedByte(bytes[1]) } };
  }
  if (port === STARTUP) {
    checkLength(uplink, STARTUP_BYTES);
    const [patch, minor, major] = bytes.subarray(VERSION_AT, VERSION_AT + 3);
    return { occupancy: state(STATE_AT), values: { firmware: `${major}.${minor}.${patch}` } };
  }
  return { occupancy: null, values: {} };
};
