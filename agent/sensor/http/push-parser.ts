/** Reads a push about sensors. A mapping says where in the JSON each value stands. */
import type { PushMapping } from '../../../shared/drivers/sensor-mapping.js';
import { type Frame, frameOf } from '../frame-count-machine.js';
import type { Occupancy } from '../sensor-source.js';
import { likeChirpstack4 } from '../codecs/chirpstack3-codec.js';
import { beginsToCount, postSays } from './network-post-parser.js';

export interface PushedState {
  sensor: string;
  /** Whether the sensor itself sent this; false: another program did, which does not show that the sensor lives. */
  isHeard: boolean;
  /** null: a sign of life. */
  occupancy: Occupancy | null;
  measured_ms: number | null;
  /** null: the device counts from the beginning again. undefined: the message has no count. */
  frame: Frame | null | undefined;
  /** The value for its place, as it was written. */
  raw: string;
}

/** Smaller numbers are seconds since 1970. */
const MILLISECONDS_FROM = 100_000_000_000;

const ZONELESS = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/i;

/** Messages that name no sensor are left out. @param of.event as the query says */
export function parsePush(
  body: unknown,
  { mapping, event }: { mapping: PushMapping; event: string | undefined },
): PushedState[] {
  const list = mapping.list === null ? body : valueAt(body, mapping.list);
  return (Array.isArray(list) ? list : [list]).flatMap((pushed: unknown) => {
    const message = likeChirpstack4(pushed);
    const sensor = valueAt(message, mapping.sensor);
    if (typeof sensor !== 'string' && typeof sensor !== 'number') return [];
    const says = postSays(message, event);
    const frame = frameOf(message) ?? (beginsToCount(message, event) ? null : undefined);
    if (says !== 'place') {
      const raw = event ?? 'no payload';
      return { sensor: String(sensor), isHeard: says === 'life', occupancy: null, measured_ms: null, frame, raw };
    }
    const state = String(valueAt(message, mapping.state));
    const occupancy = mapping.occupied.includes(state) ? 'occupied' : mapping.free.includes(state) ? 'free' : null;
    const measured_ms = mapping.time === null ? null : millisecondsOf(valueAt(message, mapping.time));
    return { sensor: String(sensor), isHeard: true, occupancy, measured_ms, frame, raw: state };
  });
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
      value,
    );
}

function millisecondsOf(time: unknown): number | null {
  if (typeof time === 'string') {
    // A time without a zone would be read in that of this machine.
    const at = Date.parse(ZONELESS.test(time) ? `${time}Z` : time);
    return Number.isNaN(at) || at < 0 ? null : at;
  }
  if (typeof time !== 'number' || !(time >= 0)) return null;
  return Math.round(time < MILLISECONDS_FROM ? time * 1_000 : time);
}
