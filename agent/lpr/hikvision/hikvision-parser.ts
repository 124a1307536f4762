/** Parses the `EventNotificationAlert` that Hikvision pushes. Elements are found by local names, because firmwares use two namespaces. */
import type { Movement } from '../../../shared/access/resolve-direction.js';
import { parseCameraTime } from '../formats/camera-time-parser.js';
import type { CameraRead, PictureBox, VehicleType } from '../camera.js';
import { cleanText, READ_TEXT_MAX } from '../formats/camera-text-parser.js';
import { countryCode } from '../formats/country-parser.js';
import { hikvisionCountry, hikvisionMake } from './hikvision-numbers-parser.js';
import { childOf, parseXml, textOf, type XmlElement } from '../formats/xml-parser.js';

export type HikvisionEvent =
  | { kind: 'read'; read: Omit<CameraRead, 'pictures'>; plate_box: PictureBox | null }
  | { kind: 'heartbeat' }
  | { kind: 'other'; event: string }
  | { kind: 'malformed'; reason: string };

/** Real ones have about 4 KiB. */
export const XML_CHARACTERS_MAX = 256 * 1024;
/** Of a name that goes to the log. */
const NAME_LENGTH_MAX = 64;
/** Boxes are on this scale for pictures of any size. */
const BOX_SCALE = 1000;

const MOVEMENTS = new Map<string, Movement>(
  Object.entries({ forward: 'towards', reverse: 'away', '': 'absent', '-': 'absent' } as const),
);

const VEHICLE_TYPES = new Map<string, VehicleType>(
  Object.entries({
    vehicle: 'car',
    car: 'car',
    smallcar: 'car',
    minicar: 'car',
    saloon: 'car',
    coupe: 'car',
    hatchback: 'car',
    suvmpv: 'car',
    suv: 'car',
    mpv: 'car',
    van: 'van',
    bus: 'bus',
    largebus: 'bus',
    mediumbus: 'bus',
    minibus: 'bus',
    truck: 'truck',
    buggy: 'truck',
    pickuptruck: 'truck',
    lighttruck: 'truck',
    mediumtruck: 'truck',
    heavytruck: 'truck',
    mediumheavytruck: 'truck',
    containertruck: 'truck',
    concretemixer: 'truck',
    slagtruck: 'truck',
    oiltanktruck: 'truck',
    platformtrailer: 'truck',
    crane: 'truck',
    motorcycle: 'motorcycle',
    motorbike: 'motorcycle',
    twowheelvehicle: 'motorcycle',
  } as const),
);

/** `zone`: the camera's IANA zone, for times without an offset. */
export function parseHikvisionEvent(xml: string, zone: string): HikvisionEvent {
  if (xml.length > XML_CHARACTERS_MAX)
    return { kind: 'malformed', reason: `XML of more than ${XML_CHARACTERS_MAX} characters` };
  let alert: XmlElement;
  try {
    // The parser ignores what some firmwares write behind the alert (NUL, line breaks).
    alert = parseXml(xml);
  } catch (error) {
    return { kind: 'malformed', reason: error instanceof Error ? error.message : String(error) };
  }
  if (alert.name !== 'EventNotificationAlert')
    return { kind: 'malformed', reason: `a document <${cleanText(alert.name, NAME_LENGTH_MAX)}>` };
  const eventType = text(alert, 'eventType');
  const anpr = childOf(alert, 'ANPR');
  if (anpr !== undefined) {
    return { kind: 'read', read: readOf(alert, anpr, zone), plate_box: plateBox(anpr) };
  }
  switch (eventType.toLowerCase()) {
    case 'heartbeat':
      return { kind: 'heartbeat' };
    case 'videoloss':
      return text(alert, 'eventState') === 'inactive' ? { kind: 'heartbeat' } : { kind: 'other', event: eventType };
    case 'anpr':
      return { kind: 'malformed', reason: 'an ANPR event without its ANPR element' };
    case '':
      return { kind: 'malformed', reason: 'no eventType' };
    default:
      return { kind: 'other', event: cleanText(eventType, NAME_LENGTH_MAX) };
  }
}

function readOf(alert: XmlElement, anpr: XmlElement, zone: string): Omit<CameraRead, 'pictures'> {
  const info = childOf(anpr, 'vehicleInfo');
  const raw_plate = cleanText(text(anpr, 'licensePlate'), READ_TEXT_MAX.raw_plate);
  return {
    vendor_event_id: vendorEventId(alert, raw_plate),
    raw_plate,
    confidence: confidence(text(anpr, 'confidenceLevel')),
    movement: MOVEMENTS.get(text(anpr, 'direction').toLowerCase()) ?? 'unknown',
    camera_time: parseCameraTime(text(alert, 'dateTime'), zone),
    // Older firmwares mark a retransmission by `alarmDataType` 1 (history).
    retransmission: text(alert, 'isDataRetransmission').toLowerCase() === 'true' || text(anpr, 'alarmDataType') === '1',
    type: vehicleType(anpr),
    make: make(text(info, 'vehicleLogoRecog')),
    color: nameOf(text(info, 'color'))?.toLowerCase() ?? null,
    // `vehile` is the firmware's own spelling.
    model: nameOf(text(info, 'vehileModel')),
    country_code: countryCode(text(alert, 'countryAbbreviation')) ?? country(text(anpr, 'country')),
  };
}

/** For firmwares without UUID, the camera's time and the plate identify the event, because a repeat has the same. */
function vendorEventId(alert: XmlElement, rawPlate: string): string | null {
  const uuid = cleanText(text(alert, 'UUID'), READ_TEXT_MAX.vendor_event_id);
  if (uuid !== '') return uuid;
  const dateTime = text(alert, 'dateTime');
  if (dateTime === '') return null;
  return cleanText(`${text(alert, 'channelID')} ${dateTime} ${rawPlate}`, READ_TEXT_MAX.vendor_event_id);
}

function confidence(percent: string): number | null {
  const value = Number(percent);
  return percent === '' || !Number.isFinite(value) ? null : Math.min(100, Math.max(0, value)) / 100;
}

function vehicleType(anpr: XmlElement): VehicleType | null {
  const listed = VEHICLE_TYPES.get(text(anpr, 'vehicleType').toLowerCase());
  if (listed !== undefined) return listed;
  return text(anpr, 'twoWheelVehicle').toLowerCase() === 'yes' ? 'motorcycle' : null;
}

/** `vehicleLogoRecog` is a number; some firmwares write a name. */
function make(value: string): string | null {
  return /^\d+$/.test(value) ? hikvisionMake(Number(value)) : nameOf(value);
}

/** A number is left out, because models are numbered in tables that differ by firmware. */
function nameOf(value: string): string | null {
  const name = cleanText(value, NAME_LENGTH_MAX);
  return name === '' || name === '-' || /^\d+$/.test(name) || name.toLowerCase() === 'unknown' ? null : name;
}

/** `country` is an index; some firmwares write a code. */
function country(value: string): string | null {
  return /^\d+$/.test(value) ? hikvisionCountry(Number(value)) : countryCode(value);
}

/** Finds the first box of the plate: beside the picture in which it lies, or in the read itself. */
function plateBox(anpr: XmlElement): PictureBox | null {
  const pictures = childOf(anpr, 'pictureInfoList')?.children ?? [];
  for (const holder of [...pictures, anpr]) {
    const box = childOf(holder, 'plateRect') ?? childOf(holder, 'PlateRect');
    if (box === undefined) continue;
    const [x, y, width, height] = ['X', 'Y', 'width', 'height'].map((name) => Number(text(box, name) || 'NaN'));
    if (x === undefined || y === undefined || width === undefined || height === undefined) continue;
    if (![x, y, width, height].every(Number.isFinite) || width <= 0 || height <= 0) continue;
    return { x: x / BOX_SCALE, y: y / BOX_SCALE, width: width / BOX_SCALE, height: height / BOX_SCALE };
  }
  return null;
}

/** The text of a child, without blanks around it; empty when it has none. */
function text(parent: XmlElement | undefined, name: string): string {
  return textOf(childOf(parent, name));
}
