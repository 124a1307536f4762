/** Reads what Axis cameras post: JSON, or multipart of the parts `event` and `image`. */
import type { ImageRole } from '../../../shared/uplink.js';
import type { CameraPush, ParsedPush, PushReader } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import { parseJson } from '../formats/document-parser.js';
import { type MultipartPart, partsOf } from '../formats/multipart-splitter.js';
import { isJpeg } from '../formats/picture-parser.js';
import { parseAxisEvent } from './axis-parser.js';

/** A camera numbers its vehicles from the beginning after a restart: the same number after this time is another vehicle. */
const SAME_CAR_MS = 600_000;
const CARS_MAX = 1_000;

/** Remembers the numbers of vehicles, because a camera uses a number again. */
export function createAxisPush(): PushReader {
  /** By camera and number of the vehicle: the event id that its reads have, and the time of its last event by the camera's clock. */
  const cars = new Map<string, { id: string; at_ms: number }>();

  function eventId(deviceId: string, carId: string, at_ms: number | null): string | null {
    if (carId === '') return null;
    if (at_ms === null) return carId;
    const key = `${deviceId} ${carId}`;
    const known = cars.get(key);
    const id = known !== undefined && Math.abs(at_ms - known.at_ms) < SAME_CAR_MS ? known.id : `${carId} ${at_ms}`;
    // Deleting first makes this entry the newest, so that the first entry is the one that was longest without an event.
    cars.delete(key);
    cars.set(key, { id, at_ms });
    const [oldest] = cars.keys();
    if (cars.size > CARS_MAX && oldest !== undefined) cars.delete(oldest);
    return id;
  }

  function parseDocument(document: MultipartPart | undefined, contentType: string, camera: CameraPush['camera']) {
    const event =
      document === undefined ? undefined : parseJson(decodeText(document.content, document.contentType || contentType));
    if (event === undefined) return { kind: 'malformed', reason: 'no JSON' } as const;
    const parsed = parseAxisEvent(event, camera.timezone);
    if (parsed.kind !== 'read') return parsed;
    const { read, carId, captured_ms } = parsed;
    read.vendor_event_id = eventId(camera.device_id ?? '', carId, captured_ms) ?? madeId(captured_ms, read.raw_plate);
    return parsed;
  }

  return {
    accepted: { status: 200, contentType: null, body: '' },
    parse({ contentType, body, camera }: CameraPush): ParsedPush {
      if (body.length === 0) return { kind: 'other', event: 'empty body' };
      const parts = partsOf(body, contentType);
      const parsed = parseDocument(parts.find(isDocument), contentType, camera);
      if (parsed.kind !== 'read') return parsed;
      const { read, imageIs } = parsed;
      const image = parts.find(({ content }) => isJpeg(content));
      if (image !== undefined) read.pictures[imageIs] ??= image.content;
      if (read.pictures.full !== null) delete read.pictures.full_address;
      return { kind: 'read', read };
    },
    parseFirst(part, { contentType, camera }) {
      if (!isDocument(part)) return null;
      const parsed = parseDocument(part, contentType, camera);
      if (parsed.kind !== 'read') return null;
      const { read, imageIs } = parsed;
      if (read.pictures.full !== null || read.pictures.plate !== null) return null;
      const follow: ImageRole[] = [imageIs === 'plate' ? 'cropped' : 'full'];
      return { ...read, pictures: { full: null, plate: null, plate_box: null, follow } };
    },
  };
}

const isDocument = ({ content }: MultipartPart): boolean => /^[\s\0]*\{/.test(decodeText(content.subarray(0, 64)));

const madeId = (captured_ms: number | null, plate: string): string | null =>
  captured_ms === null ? null : `${captured_ms} ${plate}`;
