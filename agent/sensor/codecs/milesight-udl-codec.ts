/** Milesight EM310-UDL and EM400-UDL: pairs of channel and type, each with its value; a distance is judged by the place's threshold. */
import { decideValueOccupancy } from '../decide-value-occupancy.js';
import { PayloadError, type SensorCodec } from './sensor-codec.js';

/** The lengths of values by channel and type. After a value that is not listed, the beginning of the next pair is unknown. */
const LENGTHS: Readonly<Record<string, number>> = {
  '01 75': 1,
  '03 82': 2,
  '04 82': 2,
  '04 00': 1,
  '05 00': 1,
  // Where the sensor itself is.
  '06 88': 9,
  '03 67': 2,
  '83 67': 3,
  '84 82': 3,
  '94 82': 5,
};
const BATTERY = '01 75';
const DISTANCES = ['03 82', '04 82', '84 82', '94 82'];
const TILTS = ['04 00', '05 00'];
/** The sensor measured nothing. */
const NO_DISTANCE_FROM = 0xfffd;

export const decodeMilesightUdl: SensorCodec = ({ bytes }, place, before) => {
  const found = valuesOf(bytes);
  const battery = found.get(BATTERY)?.[0];
  const tilt = TILTS.flatMap((pair) => found.get(pair)?.[0] ?? []).at(-1);
  const distance = DISTANCES.flatMap((pair) => {
    const value = found.get(pair);
    return value === undefined ? [] : (value[0] ?? 0) + (value[1] ?? 0) * 256;
  }).at(-1);
  const values = {
    ...(battery === undefined ? {} : { battery }),
    ...(distance === undefined ? {} : { distance_mm: distance }),
    ...(tilt === undefined ? {} : { is_tilted: tilt !== 0 }),
  };
  const { occupied_below_mm, hysteresis_mm } = place;
  // A sensor that was knocked over measures something else.
  const isJudged = distance !== undefined && distance < NO_DISTANCE_FROM && (tilt ?? 0) === 0;
  if (!isJudged || occupied_below_mm === null) return { occupancy: null, values };
  const occupied = { below: occupied_below_mm, hysteresis: hysteresis_mm ?? 0 };
  return { occupancy: decideValueOccupancy(distance, { occupied, sentinels: [] }, before), values };
};

/** @throws PayloadError for a value that is cut, or when nothing is understood */
function valuesOf(bytes: Uint8Array): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (let at = 0; at < bytes.length; ) {
    const pair = [...bytes.subarray(at, at + 2)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const length = LENGTHS[pair];
    // Answers to settings and newer values stand behind the measurements.
    if (length === undefined && found.size > 0) break;
    const value = bytes.subarray(at + 2, at + 2 + (length ?? 0));
    if (length === undefined) throw new PayloadError(`begins with "${pair}", which this sensor does not send`);
    if (value.length < length) throw new PayloadError(`ends within the value of "${pair}"`);
    found.set(pair, value);
    at += 2 + length;
  }
  if (found.size === 0) throw new PayloadError('is empty');
  return found;
}
