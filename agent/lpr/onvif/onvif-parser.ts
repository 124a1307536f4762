/**
 * Parses the answer to PullMessages: events of plates, by the topics of ONVIF, Hikvision and Axis. It parses the XML itself, because npm
 * `onvif` turns a plate of digits into a number.
 */
import type { Movement } from '../../../shared/access/resolve-direction.js';
import type { CameraRead } from '../camera.js';
import { cleanText, confidenceOf, givenName, READ_TEXT_MAX } from '../formats/camera-text-parser.js';
import { parseCameraTime } from '../formats/camera-time-parser.js';
import { countryCode } from '../formats/country-parser.js';
import { vehicleType } from '../formats/vehicle-type-parser.js';
import { attributeOf, childOf, parseXml, textOf, type XmlElement } from '../formats/xml-parser.js';

const XML_CHARACTERS_MAX = 2 * 1024 * 1024;
const MESSAGES_MAX = 100;
/** Without prefixes, because each camera has its own prefix for a namespace. */
const PLATE_TOPICS = [
  /^RuleEngine\/Recognition\/LicensePlate$/,
  /^RuleEngine\/LicensePlateRecognition(\/|$)/,
  /^RuleEngine\/VehicleDetector\/Vehicle$/,
  /^CameraApplicationPlatform\/ALPV(\.|\/|$)/,
];
const PLATE_NAMES = [
  'platenumber',
  'licenseplate',
  'licenseplatenumber',
  'plate',
  'plateno',
  'platetext',
  'plateutf8',
  'number',
];
const MOVEMENTS = new Map<string, Movement>(
  Object.entries({
    '': 'absent',
    '-': 'absent',
    in: 'towards',
    approach: 'towards',
    approaching: 'towards',
    forward: 'towards',
    out: 'away',
    away: 'away',
    leave: 'away',
    leaving: 'away',
    reverse: 'away',
  } as const),
);

export interface OnvifMessages {
  /** How many messages there are, of any kind. */
  count: number;
  reads: CameraRead[];
  /** Why messages about plates could not be read. */
  malformed: string[];
}

/** How far into an answer its times stand. */
const TIMES_CHARACTERS_MAX = 64 * 1024;
/** A camera that names more is not believed. */
const LIFE_MAX_MS = 24 * 3_600_000;

/**
 * Reads how long the camera keeps the subscription that it answers about, by the two times of its own clock, in
 * milliseconds; null: it names none that can be.
 */
export function parseLife(xml: string): number | null {
  const head = xml.slice(0, TIMES_CHARACTERS_MAX);
  const [now = Number.NaN, end = Number.NaN] = ['CurrentTime', 'TerminationTime'].map((name) =>
    Date.parse(new RegExp(`<(?:[\\w-]{1,64}:)?${name}[^>]{0,500}>\\s{0,100}([^<\\s]{1,64})`).exec(head)?.[1] ?? ''),
  );
  return end > now ? Math.min(end - now, LIFE_MAX_MS) : null;
}

/** @throws XmlError for text that is no XML */
export function parsePulledMessages(xml: string): OnvifMessages {
  const found: OnvifMessages = { count: 0, reads: [], malformed: [] };
  if (xml.length > XML_CHARACTERS_MAX)
    return { ...found, malformed: [`XML of more than ${XML_CHARACTERS_MAX} characters`] };
  const response = childOf(childOf(parseXml(xml), 'Body'), 'PullMessagesResponse');
  for (const notification of (response?.children ?? []).slice(0, MESSAGES_MAX)) {
    if (notification.name !== 'NotificationMessage') continue;
    found.count++;
    const topic = topicOf(notification);
    const message = childOf(childOf(notification, 'Message'), 'Message');
    if (!PLATE_TOPICS.some((form) => form.test(topic)) || message === undefined) continue;
    // A new subscription first gets the latest read, however old it is (Initialized). Deleted says that the vehicle has gone.
    if (['Initialized', 'Deleted'].includes(attributeOf(message, 'PropertyOperation'))) continue;
    const read = readOf(message);
    if (read === null) found.malformed.push(`a message on ${cleanText(topic, 128)} without a plate`);
    else found.reads.push(read);
  }
  return found;
}

/** `tns1:RuleEngine/tnshik:Vehicle` -> `RuleEngine/Vehicle`, without the blanks that cameras write around it. */
function topicOf(notification: XmlElement): string {
  return textOf(childOf(notification, 'Topic'))
    .split('/')
    .map((segment) => segment.trim().replace(/^.*:/, ''))
    .join('/');
}

function readOf(message: XmlElement): CameraRead | null {
  const items = itemsOf(message);
  const text = (...names: string[]) => names.map((name) => items.get(name) ?? '').find((value) => value !== '') ?? '';
  if (!PLATE_NAMES.some((name) => items.has(name))) return null;
  const raw_plate = cleanText(text(...PLATE_NAMES), READ_TEXT_MAX.raw_plate);
  const utc = attributeOf(message, 'UtcTime');
  // All messages about one object are of one vehicle, even when its plate is read better later. Some cameras write 0 or -1 for no object.
  const object = text('objectid').replace(/^(0|-1)$/, '');
  const source = text('videosourceconfigurationtoken', 'videosourcetoken', 'videosource', 'source');
  const id = (object === '' ? [utc, raw_plate] : [source, object]).filter((each) => each !== '').join(' ');
  return {
    vendor_event_id: utc === '' ? null : cleanText(id, READ_TEXT_MAX.vendor_event_id),
    raw_plate,
    confidence: likelihoodOf(text('likelihood', 'confidence', 'plateconfidence', 'confidencelevel')),
    movement: MOVEMENTS.get(text('direction', 'carmovedirection', 'movedirection').toLowerCase()) ?? 'unknown',
    camera_time: parseCameraTime(utc, 'UTC'),
    retransmission: false,
    type: vehicleType(text('vehicletype', 'type')),
    make: givenName(text('brand', 'vehiclebrand', 'make')),
    color: givenName(text('vehiclecolor', 'color'))?.toLowerCase() ?? null,
    model: givenName(text('model', 'vehiclemodel')),
    country_code: countryCode(text('countrycode', 'country', 'platecountry', 'region')),
    pictures: { full: null, plate: null, plate_box: null },
  };
}

/** The values of SimpleItems and the texts within ElementItems, by their names in lower case. */
function itemsOf(message: XmlElement): Map<string, string> {
  const items = new Map<string, string>();
  const visit = (element: XmlElement): void => {
    if (element.name === 'SimpleItem') set(items, attributeOf(element, 'Name'), attributeOf(element, 'Value'));
    else if (element.children.length === 0) set(items, element.name, textOf(element));
    const likelihood = attributeOf(element, 'Likelihood');
    if (likelihood !== '') set(items, 'Likelihood', likelihood);
    for (const child of element.children) visit(child);
  };
  visit(message);
  return items;
}

function set(items: Map<string, string>, name: string, value: string): void {
  const key = name.toLowerCase();
  if (key !== '' && (items.get(key) ?? '') === '') items.set(key, value);
}

/** A likelihood is 0 to 1; some cameras write percent. */
const likelihoodOf = (text: string): number | null => confidenceOf(text, Number(text) > 1 ? 100 : 1);
