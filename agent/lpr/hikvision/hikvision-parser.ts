/** Parses the `EventNotificationAlert` that Hikvision pushes. Elements are found by local names, because firmwares use two namespaces. */
import type { Movement } from '../../../shared/access/resolve-direction.js';
import { parseCameraTime } from '../formats/camera-time-parser.js';
import type { CameraRead, PictureBox, VehicleType } from '../camera.js';
import { cleanText, READ_TEXT_MAX, shareOf } from '../formats/camera-text-parser.js';
import { countryCode } from '../formats/country-parser.js';
import { hikvisionCountry, hikvisionMake } from './hikvision-numbers-parser.js';
import { elementOfJson, parseJson } from '../formats/document-parser.js';
import { valueAt } from '../formats/path-parser.js';
import { tellsPlate } from '../formats/told-plate-parser.js';
import { vehicleType } from '../formats/vehicle-type-parser.js';
import { childOf, parseXml, textOf, type XmlElement } from '../formats/xml-parser.js';
import { errorText } from '../../../shared/error-text.js';

export type HikvisionEvent =
  | {
      kind: 'read';
      read: Omit<CameraRead, 'pictures'>;
      plate_box: PictureBox | null;
      /** Where the camera offers a picture that it does not send; null: nowhere. The box lies in it if it is the `detection`. */
      offered: { address: string; isDetection: boolean } | null;
      /** Its pictures come with a later message that has the same UUID. */
      hasMoreData: boolean;
      /** The names of the pictures that it sends with it, as far as it lists them. */
      listed: readonly string[];
    }
  | { kind: 'heartbeat' }
  | { kind: 'other'; event: string }
  | { kind: 'malformed'; reason: string };

/** The root of an event. */
const ALERT = 'EventNotificationAlert';
/** Real ones have about 4 KiB. */
export const XML_CHARACTERS_MAX = 256 * 1024;
/** Of a name that goes to the log. */
const NAME_LENGTH_MAX = 64;
/** Boxes are on this scale for pictures of any size, but for firmwares that write pixels. */
const BOX_SCALE = 1000;
const ADDRESS_LENGTH_MAX = 2_048;
/** A `country` that says no more than that it stands in `CRIndex`. */
const SEE_CR_INDEX = '253';

const MOVEMENTS = new Map<string, Movement>(
  Object.entries({ forward: 'towards', reverse: 'away', '': 'absent', '-': 'absent' } as const),
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
    return { kind: 'malformed', reason: errorText(error) };
  }
  return parseAlert(alert, zone);
}

/** The same event as JSON: with its members at the root, or below the name that its XML has. */
export function parseHikvisionJson(json: string, zone: string): HikvisionEvent {
  if (json.length > XML_CHARACTERS_MAX)
    return { kind: 'malformed', reason: `JSON of more than ${XML_CHARACTERS_MAX} characters` };
  const document = parseJson(json);
  if (typeof document !== 'object' || document === null) return { kind: 'malformed', reason: 'no JSON' };
  const alert = elementOfJson(ALERT, valueAt(document, ALERT) ?? document);
  if (alert === null) return { kind: 'malformed', reason: 'JSON with too much in it' };
  const parsed = parseAlert(alert, zone);
  // Whatever else it is called: a vehicle is not passed over.
  if (parsed.kind === 'other' && tellsPlate(document))
    return { kind: 'malformed', reason: `a plate in an event ${parsed.event}` };
  return parsed;
}

function parseAlert(alert: XmlElement, zone: string): HikvisionEvent {
  if (alert.name !== ALERT)
    return { kind: 'malformed', reason: `a document <${cleanText(alert.name, NAME_LENGTH_MAX)}>` };
  const eventType = text(alert, 'eventType');
  const anpr = childOf(alert, 'ANPR');
  if (anpr !== undefined) {
    const hasMoreData = [alert, anpr].some((element) => text(element, 'hasMoreData').toLowerCase() === 'true');
    const read = readOf(alert, anpr, zone);
    const listed = picturesOf(anpr).map(pictureName);
    return { kind: 'read', read, plate_box: plateBox(alert, anpr), offered: offeredPicture(anpr), hasMoreData, listed };
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
  const history = text(anpr, 'alarmDataType') === '1';
  const raw_plate = cleanText(text(anpr, 'licensePlate'), READ_TEXT_MAX.raw_plate);
  const channels = ['channelID', 'dynChannelID'].flatMap((name) => cleanText(text(alert, name), 16) || []);
  return {
    ...(channels.length > 0 ? { channels } : {}),
    vendor_event_id: vendorEventId(alert, raw_plate),
    raw_plate,
    confidence: shareOf(text(anpr, 'confidenceLevel'), 100),
    movement: MOVEMENTS.get(text(anpr, 'direction').toLowerCase()) ?? 'unknown',
    camera_time: parseCameraTime(text(alert, 'dateTime'), zone),
    retransmission: text(alert, 'isDataRetransmission').toLowerCase() === 'true' || history,
    ...(history ? { history } : {}),
    ...(isOpenedByList(alert, anpr) ? { opened_by_itself: true as const } : {}),
    type: typeOf(anpr),
    make: make(text(info, 'vehicleLogoRecog')),
    color: nameOf(text(info, 'color'))?.toLowerCase() ?? null,
    // `vehile` is the firmware's own spelling.
    model: nameOf(text(info, 'vehileModel')),
    country_code: countryCode(text(alert, 'countryAbbreviation')) ?? country(anpr),
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

/** A camera without a barrier says 0 (opened) too, so that only the list says that the camera opens by itself. */
function isOpenedByList(alert: XmlElement, anpr: XmlElement): boolean {
  const said = (name: string) => (text(anpr, name) || text(alert, name)).toLowerCase();
  return /^(white|allow|temporary)/.test(said('listType')) && said('barrierGateCtrlType') === '0';
}

function typeOf(anpr: XmlElement): VehicleType | null {
  const listed = vehicleType(text(anpr, 'vehicleType'));
  if (listed !== null) return listed;
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

/** `country` is an index; some firmwares write a code. `CRIndex` numbers the countries alike. */
function country(anpr: XmlElement): string | null {
  const written = text(anpr, 'country');
  const value = written === SEE_CR_INDEX ? text(anpr, 'CRIndex') : written;
  return /^\d+$/.test(value) ? hikvisionCountry(Number(value)) : countryCode(value);
}

/**
 * Parses the form in which a camera writes an event into the query of its address, or as a form: `channelID`, `dateTime`, `eventType`,
 * `licensePlate`, `direction`, `confidenceLevel`. null: it is none.
 */
export function parseHikvisionQuery(query: string, zone: string): HikvisionEvent | null {
  const values = new URLSearchParams(query.slice(0, QUERY_CHARACTERS_MAX));
  const value = (name: string): string => values.get(name)?.trim() ?? '';
  const eventType = value('eventType');
  if (!values.has('licensePlate')) {
    if (eventType === '') return null;
    return /^heart-?beat$/i.test(eventType)
      ? { kind: 'heartbeat' }
      : { kind: 'other', event: cleanText(eventType, NAME_LENGTH_MAX) };
  }
  const raw_plate = cleanText(value('licensePlate'), READ_TEXT_MAX.raw_plate);
  // A plus in a query is a blank: of an offset it is meant as it stands.
  const dateTime = value('dateTime').replace(/ (\d{1,2}:?\d{2})$/, '+$1');
  const channels = ['channelID', 'dynChannelID'].flatMap((name) => cleanText(value(name), 16) || []);
  const id = `${value('channelID')} ${dateTime} ${raw_plate}`;
  const read: Omit<CameraRead, 'pictures'> = {
    vendor_event_id: dateTime === '' ? null : cleanText(id, READ_TEXT_MAX.vendor_event_id),
    raw_plate,
    confidence: shareOf(value('confidenceLevel'), 100),
    ...(channels.length > 0 ? { channels } : {}),
    movement: MOVEMENTS.get(value('direction').toLowerCase()) ?? 'unknown',
    camera_time: parseCameraTime(dateTime, zone),
    retransmission: value('isDataRetransmission').toLowerCase() === 'true',
    type: null,
    make: null,
    color: null,
    model: null,
    country_code: null,
  };
  return { kind: 'read', read, plate_box: null, offered: null, hasMoreData: false, listed: [] };
}

const QUERY_CHARACTERS_MAX = 8_192;

const picturesOf = (anpr: XmlElement): readonly XmlElement[] => childOf(anpr, 'pictureInfoList')?.children ?? [];

/** What its name or type says that a picture is. */
const pictureName = (picture: XmlElement): string =>
  `${text(picture, 'fileName')} ${text(picture, 'type')}`.toLowerCase();

/** Finds the first box of the plate: beside the picture in which it lies, or in the read itself. */
function plateBox(alert: XmlElement, anpr: XmlElement): PictureBox | null {
  const resolution = childOf(alert, 'detectionBackgroundImageResolution');
  const pixels = { width: numberOf(resolution, 'width'), height: numberOf(resolution, 'height') };
  for (const holder of [...picturesOf(anpr), anpr]) {
    // A picture that is cut out of the scene has a box of its own.
    if (holder !== anpr && /vehicle|plate/.test(pictureName(holder))) continue;
    const found = boxOf(childOf(holder, 'plateRect') ?? childOf(holder, 'PlateRect'), pixels);
    if (found !== null) return found;
  }
  return null;
}

/** A box that does not fit its scale is in pixels where it fits the picture, and nothing otherwise: a wrong cut is worse than none. */
function boxOf(rect: XmlElement | undefined, pixels: { width: number; height: number }): PictureBox | null {
  const [x, y, width, height] = [
    numberOf(rect, 'X'),
    numberOf(rect, 'Y'),
    numberOf(rect, 'width'),
    numberOf(rect, 'height'),
  ];
  if (!(x >= 0 && y >= 0 && width > 0 && height > 0)) return null;
  const scale = [{ width: BOX_SCALE, height: BOX_SCALE }, pixels].find(
    (whole) => x + width <= whole.width && y + height <= whole.height,
  );
  if (scale === undefined) return null;
  return { x: x / scale.width, y: y / scale.height, width: width / scale.width, height: height / scale.height };
}

/** NaN: there is none. */
const numberOf = (parent: XmlElement | undefined, name: string): number => Number(text(parent, name) || 'NaN');

/** Of the pictures that are at an address (`dataType` 1) the whole scene, or else what is cut out of it; the plate alone is none. */
function offeredPicture(anpr: XmlElement): { address: string; isDetection: boolean } | null {
  const offered = picturesOf(anpr).flatMap((picture) => {
    const address = text(picture, 'pictureURL').slice(0, ADDRESS_LENGTH_MAX);
    const name = pictureName(picture);
    return address === '' || name.includes('plate') ? [] : [{ address, isDetection: name.includes('detection') }];
  });
  return offered.find(({ isDetection }) => isDetection) ?? offered[0] ?? null;
}

/** The text of a child, without blanks around it; empty when it has none. */
function text(parent: XmlElement | undefined, name: string): string {
  return textOf(childOf(parent, name));
}
