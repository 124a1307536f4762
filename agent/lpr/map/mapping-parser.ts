/** Reads the vehicles in a document by a mapping (`shared/drivers/camera-mapping.ts`). */
import { hasPlate } from '../formats/plate-key-parser.js';
import { groupBy } from '../../../shared/grouping.js';
import type { CameraMapping } from '../../../shared/drivers/camera-mapping.js';
import type { Movement } from '../../../shared/access/resolve-direction.js';
import type { CameraPictures, CameraRead, PlateCandidate, VehicleType } from '../camera.js';
import { cleanText, confidenceOf, READ_TEXT_MAX } from '../formats/camera-text-parser.js';
import { countryCode } from '../formats/country-parser.js';
import { textAt, valueAt } from '../formats/path-parser.js';
import { base64Jpeg, boxOf } from '../formats/picture-parser.js';
import { parseTimeAs } from '../formats/camera-time-parser.js';
import { vehicleType } from '../formats/vehicle-type-parser.js';

/** How many vehicles of one document are read. */
const VEHICLES_MAX = 32;
/** How many other readings of one plate are taken. */
const CANDIDATES_MAX = 32;
const ADDRESS_LENGTH_MAX = 2_048;
/** A longer text is no time. */
const TIME_LENGTH_MAX = 64;
const EVENT_ID_LENGTH_MAX = 200;

export interface MappedDocument {
  document: unknown;
  /** Finds a picture of a multipart body by the name of its part. */
  picture(part: string): Uint8Array | null;
  /** The camera's IANA zone. */
  zone: string;
}

export type MappedReads =
  | { kind: 'reads'; reads: CameraRead[] }
  /** The document holds no vehicle: it is a sign of life. */
  | { kind: 'other' }
  /** The document holds a vehicle, but nothing where its plate should be. */
  | { kind: 'malformed'; reason: string };

type Paths = readonly string[] | null;
type Condition = { at: readonly string[]; is: readonly string[] } | null;

export function parseMapped(given: MappedDocument, mapping: CameraMapping): MappedReads {
  const { document } = given;
  const listed = (mapping.list ?? []).map((path) => valueAt(document, path)).find((value) => value !== undefined);
  const list = mapping.list === null ? document : (listed ?? []);
  const vehicles = (Array.isArray(list) ? (list as unknown[]).slice(0, VEHICLES_MAX) : [list]).map((vehicle) =>
    lookIn(vehicle, document),
  );
  const meant = vehicles.filter((vehicle) => mapping.only.every((condition) => vehicle.holds(condition)));
  if (meant.length === 0) {
    // An item that names another kind is of no interest, even with a plate. An item that names no kind may be a vehicle in a form that the
    // mapping does not describe.
    const isNamed = vehicles.some((vehicle) => mapping.only.some(({ at }) => vehicle.text(at) !== ''));
    return isNamed || !hasPlate(document) ? { kind: 'other' } : { kind: 'malformed', reason: 'a plate elsewhere' };
  }
  if (!meant.some((vehicle) => mapping.plate.some(vehicle.has)))
    return { kind: 'malformed', reason: `nothing stands at ${mapping.plate.join(' or ')}` };
  return { kind: 'reads', reads: separateVehicles(meant.map((vehicle) => readOf(vehicle, given, mapping))) };
}

/**
 * Gives vehicles that share one id (that of the document) an id each, made with their plates: otherwise they would be taken for states of
 * one vehicle. A single vehicle keeps the id, even when its plate changes.
 */
export function separateVehicles(reads: CameraRead[]): CameraRead[] {
  const plates = groupBy(
    reads.filter(({ vendor_event_id }) => vendor_event_id !== null),
    ({ vendor_event_id }) => vendor_event_id,
  );
  return reads.map((read) => {
    const { vendor_event_id: id, raw_plate } = read;
    const isShared = (plates.get(id) ?? []).some((other) => other.raw_plate !== raw_plate);
    if (id === null || !isShared) return read;
    return { ...read, vendor_event_id: cleanText(`${id} ${raw_plate}`, READ_TEXT_MAX.vendor_event_id) };
  });
}

/** Reads values of a vehicle; one that the vehicle lacks is read from the document that holds it. */
function lookIn(vehicle: unknown, document: unknown) {
  const text = (at: Paths): string => textAt(vehicle, at) || (vehicle === document ? '' : textAt(document, at));
  const value = (path: string): unknown => valueAt(vehicle, path) ?? valueAt(document, path);
  const holds = (condition: Condition): boolean =>
    condition !== null && condition.is.some((word) => word.toLowerCase() === text(condition.at).toLowerCase());
  return { text, value, holds, has: (path: string) => value(path) !== undefined };
}
type Vehicle = ReturnType<typeof lookIn>;

function readOf(vehicle: Vehicle, given: MappedDocument, mapping: CameraMapping): CameraRead {
  const { text, holds } = vehicle;
  const plate = cleanText(text(mapping.plate), READ_TEXT_MAX.raw_plate);
  const isNone = ['-', ...mapping.no_plate].some((word) => word.toLowerCase() === plate.toLowerCase());
  const raw_plate = isNone ? '' : plate;
  const { time } = mapping;
  const written = time === null ? [] : [text(time.at), time.and === null ? '' : text([time.and])];
  const timeText = written.join(' ').trim().slice(0, TIME_LENGTH_MAX);
  const zone = time?.zone === 'utc' ? 'UTC' : given.zone;
  const history = holds(mapping.history);
  const read: CameraRead = {
    vendor_event_id: eventId(vehicle, mapping, { timeText, raw_plate }),
    raw_plate,
    confidence: mapping.confidence === null ? null : confidenceOf(text(mapping.confidence.at), mapping.confidence.of),
    movement: mapping.direction === null ? 'absent' : movementOf(text(mapping.direction.at), mapping.direction),
    camera_time: time === null || holds(time.unless) ? null : parseTimeAs(timeText, time.format, zone),
    retransmission: history || holds(mapping.retransmission),
    type: mapping.type === null ? null : typeOf(text(mapping.type.at), mapping.type.words),
    make: known(text(mapping.make)),
    color: known(text(mapping.color))?.toLowerCase() ?? null,
    model: known(text(mapping.model)),
    country_code: countryCode(text(mapping.country)),
    pictures: picturesOf(vehicle, given, mapping),
  };
  if (history) read.history = true;
  const candidates = candidatesOf(vehicle, mapping);
  if (candidates.length > 0) read.candidates = candidates;
  return read;
}

/** The other readings. A vendor's list also has the camera's own choice, which is left out. */
function candidatesOf({ text, value }: Vehicle, { candidates, confidence, plate }: CameraMapping): PlateCandidate[] {
  if (candidates === null) return [];
  const list = candidates.list.map(value).find((each) => each !== undefined);
  const own = text(plate);
  return (Array.isArray(list) ? (list as unknown[]).slice(0, CANDIDATES_MAX) : []).flatMap((each) => {
    const raw_plate = cleanText(textAt(each, candidates.plate), READ_TEXT_MAX.raw_plate);
    if (raw_plate === '' || raw_plate === own) return [];
    return [{ raw_plate, confidence: confidenceOf(textAt(each, candidates.confidence), confidence?.of ?? 100) }];
  });
}

/** The event id; where the vendor has none, the time and the plate, which a repeat has too. */
function eventId(
  { text }: Vehicle,
  { event_id }: CameraMapping,
  { timeText, raw_plate }: { timeText: string; raw_plate: string },
): string | null {
  const own = (event_id ?? []).map((path) => text([path])).filter((each) => each !== '' && each !== '-');
  const made = timeText === '' ? [] : [timeText, raw_plate];
  return cleanText((own.length > 0 ? own : made).join(' '), EVENT_ID_LENGTH_MAX) || null;
}

function movementOf(text: string, words: NonNullable<CameraMapping['direction']>): Movement {
  const written = text.toLowerCase();
  const says = (list: readonly string[]) => list.some((word) => word.toLowerCase() === written);
  if (says(words.absent)) return 'absent';
  if (says(words.towards)) return 'towards';
  return says(words.away) ? 'away' : 'unknown';
}

function typeOf(text: string, words: Partial<Record<VehicleType, readonly string[]>>): VehicleType | null {
  const written = text.toLowerCase();
  const own = Object.entries(words).find(([, list]) => list?.some((word) => word.toLowerCase() === written));
  return own === undefined ? vehicleType(text) : (own[0] as VehicleType);
}

/** A name; null: the camera wrote a dash, a number, or a word for an unknown name. */
function known(text: string): string | null {
  const cleaned = cleanText(text, READ_TEXT_MAX.make);
  return /^(-*|\d+|unknown|other|none|null)$/i.test(cleaned) ? null : cleaned;
}

function picturesOf(vehicle: Vehicle, { picture }: MappedDocument, mapping: CameraMapping): CameraPictures {
  const { full, plate_picture, plate_box } = mapping;
  const find = (wanted: CameraMapping['full']): Uint8Array | null => {
    for (const path of wanted?.base64 ?? []) {
      const jpeg = base64Jpeg(vehicle.value(path));
      if (jpeg !== null) return jpeg;
    }
    const part = wanted?.part ?? null;
    return part === null ? null : picture(part);
  };
  const sent = find(full);
  const address = sent === null ? vehicle.text(full?.url ?? null).slice(0, ADDRESS_LENGTH_MAX) : '';
  return {
    full: sent,
    plate: find(plate_picture),
    plate_box: plate_box === null ? null : boxAt(vehicle, plate_box),
    ...(address === '' ? {} : { full_address: address }),
  };
}

function boxAt({ value }: Vehicle, { at, form, of }: NonNullable<CameraMapping['plate_box']>) {
  const four = typeof at === 'string' ? value(at) : at.map(value);
  if (!Array.isArray(four)) return null;
  const [wide = 0, high = 0] = typeof of === 'number' ? [of, of] : of.map((path) => Number(value(path)));
  return boxOf(four as unknown[], { form, of: [wide, high] });
}
