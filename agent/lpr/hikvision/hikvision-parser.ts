/**
 * Parses the `EventNotificationAlert` that Hikvision cameras push. Elements are found by local names, because firmwares use two namespaces.
 */
import type { Movement } from '../../../shared/access/resolve-direction.js';
import { parseCameraTime } from '../formats/camera-time-parser.js';
import type { CameraRead, PictureBox, VehicleType } from '../camera.js';
import { cleanText, READ_TEXT_MAX, shareOf, UNKNOWN_READ } from '../formats/camera-text-parser.js';
import { countryCode } from '../formats/country-parser.js';
import { hikvisionCountry, hikvisionMake } from './hikvision-numbers-parser.js';
import { elementOfJson, parseJson } from '../formats/document-parser.js';
import { valueAt } from '../formats/path-parser.js';
import { hasPlate } from '../formats/plate-key-parser.js';
import { vehicleType } from '../formats/vehicle-type-parser.js';
import { childOf, parseXml, textOf, type XmlElement } from '../formats/xml-parser.js';
import { errorText } from '../../../shared/error-text.js';

export type HikvisionEvent =
  | {
      kind: 'read';
      read: Omit<CameraRead, 'pictures'>;
      plate_box: PictureBox | null;
      /**
       * The address of a picture that the camera offers instead of sending it; null: none. `plate_box` lies in it when it is the detection
       * picture.
       */
      offered: { address: string; isDetection: boolean } | null;
      /** The pictures come in a later message with the same UUID. */
      hasMoreData: boolean;
      /** The names of the pictures in the push, as far as it lists them. */
      listed: readonly string[];
    }
  | { kind: 'heartbeat' }
  | { kind: 'other'; event: string }
  | { kind: 'malformed'; reason: string };

/** The name of the root element. */
const ALERT = 'EventNotificationAlert';
/** An event has about 4 KiB. */
export const XML_CHARACTERS_MAX = 256 * 1024;
/** For a name that goes to the log. */
const NAME_LENGTH_MAX = 64;
/** Boxes use this scale, whatever the size of the picture. Some firmwares write pixels instead. */
const BOX_SCALE = 1000;
const ADDRESS_LENGTH_MAX = 2_048;
/** With this value of `country`, the country stands in `CRIndex`. */
const SEE_CR_INDEX = '253';

const MOVEMENTS = new Map<string, Movement>(
  Object.entries({ forward: 'towards', reverse: 'away', '': 'absent', '-': 'absent' } as const),
);

/** @param zone the camera's IANA zone, for times without an offset */
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

/** Parses the same event as JSON: its members stand at the root, or below the name that the root has in XML. */
export function parseHikvisionJson(json: string, zone: string): HikvisionEvent {
  if (json.length > XML_CHARACTERS_MAX)
    return { kind: 'malformed', reason: `JSON of more than ${XML_CHARACTERS_MAX} characters` };
  const document = parseJson(json);
  if (typeof document !== 'object' || document === null) return { kind: 'malformed', reason: 'no JSON' };
  const alert = elementOfJson(ALERT, valueAt(document, ALERT) ?? document);
  if (alert === null) return { kind: 'malformed', reason: 'JSON with too much in it' };
  const parsed = parseAlert(alert, zone);
  // A push that holds a plate is never passed over as another event.
  if (parsed.kind === 'other' && hasPlate(document))
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

/** The UUID; for firmwares without it, the camera's time and the plate, which a repeat has too. */
function vendorEventId(alert: XmlElement, rawPlate: string): string | null {
  const uuid = cleanText(text(alert, 'UUID'), READ_TEXT_MAX.vendor_event_id);
  if (uuid !== '') return uuid;
  const dateTime = text(alert, 'dateTime');
  if (dateTime === '') return null;
  return cleanText(`${text(alert, 'channelID')} ${dateTime} ${rawPlate}`, READ_TEXT_MAX.vendor_event_id);
}

/**
 * Says whether the camera opened by its own list. A camera without a barrier writes 0 (opened) too, so that the list
 * has to be named as well.
 */
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

/** A name; null: unknown, or a number, because models are numbered in tables that differ by firmware. */
function nameOf(value: string): string | null {
  const name = cleanText(value, NAME_LENGTH_MAX);
  return name === '' || name === '-' || /^\d+$/.test(name) || name.toLowerCase() === 'unknown' ? null : name;
}

/** `country` is a number; some firmwares write a code. `CRIndex` has the same numbers. */
function country(anpr: XmlElement): string | null {
  const written = text(anpr, 'country');
  const value = written === SEE_CR_INDEX ? text(anpr, 'CRIndex') : written;
  return /^\d+$/.test(value) ? hikvisionCountry(Number(value)) : countryCode(value);
}

/**
 * Parses an event that a camera writes into the query of its address, or posts as a form: `channelID`, `dateTime`, `eventType`,
 * `licensePlate`, `direction`, `confidenceLevel`. null: the query is no event.
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
  // In a query a plus stands for a blank, but cameras write the plus of an offset as it is.
  const dateTime = value('dateTime').replace(/ (\d{1,2}:?\d{2})$/, '+$1');
  const channels = ['channelID', 'dynChannelID'].flatMap((name) => cleanText(value(name), 16) || []);
  const id = `${value('channelID')} ${dateTime} ${raw_plate}`;
  const read: Omit<CameraRead, 'pictures'> = {
    ...UNKNOWN_READ,
    vendor_event_id: dateTime === '' ? null : cleanText(id, READ_TEXT_MAX.vendor_event_id),
    raw_plate,
    confidence: shareOf(value('confidenceLevel'), 100),
    ...(channels.length > 0 ? { channels } : {}),
    movement: MOVEMENTS.get(value('direction').toLowerCase()) ?? 'unknown',
    camera_time: parseCameraTime(dateTime, zone),
    retransmission: value('isDataRetransmission').toLowerCase() === 'true',
  };
  return { kind: 'read', read, plate_box: null, offered: null, hasMoreData: false, listed: [] };
}

const QUERY_CHARACTERS_MAX = 8_192;

const picturesOf = (anpr: XmlElement): readonly XmlElement[] => childOf(anpr, 'pictureInfoList')?.children ?? [];

/** The name and the type of a picture, in lower case. */
const pictureName = (picture: XmlElement): string =>
  `${text(picture, 'fileName')} ${text(picture, 'type')}`.toLowerCase();

/** Finds the first box of the plate: of the picture in which it lies, or of the read itself. */
function plateBox(alert: XmlElement, anpr: XmlElement): PictureBox | null {
  const resolution = childOf(alert, 'detectionBackgroundImageResolution');
  const pixels = { width: numberOf(resolution, 'width'), height: numberOf(resolution, 'height') };
  for (const holder of [...picturesOf(anpr), anpr]) {
    // The box of a picture that is cut out of the scene does not lie in the scene.
    if (holder !== anpr && /vehicle|plate/.test(pictureName(holder))) continue;
    const found = boxOf(childOf(holder, 'plateRect') ?? childOf(holder, 'PlateRect'), pixels);
    if (found !== null) return found;
  }
  return null;
}

/**
 * A box that does not fit its scale counts as pixels where it fits the picture. Otherwise it counts as none, because a wrong cut is worse
 * than no cut.
 */
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

/** NaN: there is no number. */
const numberOf = (parent: XmlElement | undefined, name: string): number => Number(text(parent, name) || 'NaN');

/**
 * Chooses among the pictures that are offered at an address (`dataType` 1): the whole scene, or else a cut of the
 * vehicle. The picture of the plate alone is not used.
 */
function offeredPicture(anpr: XmlElement): { address: string; isDetection: boolean } | null {
  const offered = picturesOf(anpr).flatMap((picture) => {
    const address = text(picture, 'pictureURL').slice(0, ADDRESS_LENGTH_MAX);
    const name = pictureName(picture);
    return address === '' || name.includes('plate') ? [] : [{ address, isDetection: name.includes('detection') }];
  });
  return offered.find(({ isDetection }) => isDetection) ?? offered[0] ?? null;
}

/** The text of a child, trimmed; empty: there is none. */
function text(parent: XmlElement | undefined, name: string): string {
  return textOf(childOf(parent, name));
}
