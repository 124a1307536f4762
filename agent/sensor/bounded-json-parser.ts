/** Parses the JSON of sensors, and of the services and network servers that collect from them. */
import { brokenJsonBound, type JsonBounds } from '../../shared/json-measure.js';

const BYTES_MAX = 256 * 1024;
/** An uplink has some 100 values; a list of all places of a car park has a few for each. */
const BOUNDS: JsonBounds = { depth: 32, keysInObject: 1_000, keys: 20_000, values: 40_000 };

/** Undefined: the text is no JSON, or has more than 256 KiB or than any of these sends. */
export function parseBounded(json: Uint8Array | string): unknown {
  if (json.length > BYTES_MAX || brokenJsonBound(json, BOUNDS) !== null) return undefined;
  try {
    return JSON.parse(typeof json === 'string' ? json : new TextDecoder().decode(json));
  } catch {
    return undefined;
  }
}
