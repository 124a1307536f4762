/** Parses an event of Axis License Plate Verifier, or of its counterpart by FF Group. Every value is a text. */
import type { Movement } from '../../../shared/access/resolve-direction.js';
import type { CameraRead } from '../camera.js';
import { cleanText, READ_TEXT_MAX, shareOf } from '../formats/camera-text-parser.js';
import { countryCode } from '../formats/country-parser.js';
import { textAt, valueAt } from '../formats/path-parser.js';
import { base64Jpeg } from '../formats/picture-parser.js';
import { parseTimeAs } from '../formats/camera-time-parser.js';
import { hasPlate } from '../formats/plate-key-parser.js';
import { vehicleType } from '../formats/vehicle-type-parser.js';

export type AxisEvent =
  | {
      kind: 'read';
      read: CameraRead;
      /** The number that the events new, update and lost of one vehicle share, until the camera restarts; empty: the event has none. */
      carId: string;
      /** When the event was captured, by the camera's clock; null: the event does not say. */
      captured_ms: number | null;
      /** The picture in the part `image` of a multipart body. */
      imageIs: 'plate' | 'full';
    }
  | { kind: 'other'; event: string }
  | { kind: 'malformed'; reason: string };

const STATES = new Set(['new', 'update', 'updated', '']);
const IMAGES_MAX = 4;
const MOVEMENTS = new Map<string, Movement>(
  Object.entries({ in: 'towards', out: 'away', '': 'absent', '-': 'absent' } as const),
);

/** @param zone the camera's IANA zone, for a time without an offset */
export function parseAxisEvent(event: unknown, zone: string): AxisEvent {
  const text = (...paths: string[]) => textAt(event, paths);
  const plates = ['plateUTF8', 'plateUnicode', 'plateText', 'plateASCII'];
  if (!plates.some((path) => valueAt(event, path) !== undefined)) {
    const other = cleanText(text('eventType', 'type', 'test'), 64);
    if (hasPlate(event)) return { kind: 'malformed', reason: 'a plate, but no plateText' };
    return valueAt(event, 'packetCounter') !== undefined || other !== ''
      ? { kind: 'other', event: other || 'no vehicle' }
      : { kind: 'malformed', reason: 'no plateText' };
  }
  const state = text('carState').toLowerCase();
  // The plate was read while the vehicle stood there. The event that it has left comes 5 to 10 s later.
  if (!STATES.has(state)) return { kind: 'other', event: cleanText(`vehicle ${state}`, 64) };
  const raw_plate = cleanText(text(...plates), READ_TEXT_MAX.raw_plate);
  const camera_time =
    parseTimeAs(text('capture_timestamp'), 'milliseconds', zone) ??
    parseTimeAs(text('datetime'), 'YYYYMMDD HHmmssSSS', zone);
  const images = imagesOf(event);
  const address = text('imagesURI[1]', 'imagesURI[0]');
  const read: CameraRead = {
    vendor_event_id: null,
    raw_plate,
    confidence: shareOf(text('plateConfidence')),
    movement: MOVEMENTS.get(text('carMoveDirection').toLowerCase()) ?? 'unknown',
    camera_time,
    retransmission: false,
    type: vehicleType(text('vehicle_info.type', 'vehicleType')),
    make: nameOf(text('vehicle_info.manufacturer', 'vehicleMake')),
    color: nameOf(text('vehicle_info.color', 'vehicleColor'))?.toLowerCase() ?? null,
    model: nameOf(text('vehicle_info.model', 'vehicleModel')),
    country_code: countryCode(text('plateCountry')),
    pictures: {
      ...images,
      plate_box: null,
      ...(images.full === null && address !== '' ? { full_address: address.slice(0, 2_048) } : {}),
    },
  };
  const carId = cleanText([text('camera_info.SerialNumber', 'sensorProviderID'), text('carID')].join(' ').trim(), 128);
  return {
    kind: 'read',
    read,
    carId: text('carID') === '' ? '' : carId,
    captured_ms: camera_time?.epoch_ms ?? null,
    imageIs: text('imageType').toLowerCase() === 'plate' ? 'plate' : 'full',
  };
}

function nameOf(text: string): string | null {
  const name = cleanText(text, READ_TEXT_MAX.make);
  return /^(-*|\d+|unknown|unk|n\/a)$/i.test(name) ? null : name;
}

/** Reads `ImageArray` of an event that is not multipart. Each image is a text, or an object that also names its kind. */
function imagesOf(event: unknown): { full: Uint8Array | null; plate: Uint8Array | null } {
  const list = valueAt(event, 'ImageArray');
  const found: { full: Uint8Array | null; plate: Uint8Array | null } = { full: null, plate: null };
  for (const image of Array.isArray(list) ? (list as unknown[]).slice(0, IMAGES_MAX) : []) {
    const texts: unknown[] = typeof image === 'object' && image !== null ? Object.values(image) : [image];
    const jpeg = texts.map(base64Jpeg).find((each) => each !== null);
    if (jpeg === undefined) continue;
    const isPlate = texts.some((each) => typeof each === 'string' && /^(lp|plate|licen[cs]e_?plate)$/i.test(each));
    found[isPlate ? 'plate' : 'full'] ??= jpeg;
  }
  return found;
}
