/** Parses the vehicles that Dahua cameras report: pushed by ITSAPI, or as an event of a stream. */
import type { Movement } from '../../../shared/access/resolve-direction.js';
import type { CameraRead } from '../camera.js';
import { cleanText, confidenceOf, givenName, READ_TEXT_MAX, UNKNOWN_READ } from '../formats/camera-text-parser.js';
import { isoOfWall, parseCameraTime } from '../formats/camera-time-parser.js';
import { plainText, textAt, valueAt } from '../formats/path-parser.js';
import { base64Jpeg, boxOf } from '../formats/picture-parser.js';
import { vehicleType } from '../formats/vehicle-type-parser.js';

/** Boxes use this scale, whatever the size of the picture. */
const BOX_SCALE = 8192;
const MOVEMENTS = new Map<string, Movement>(
  Object.entries({
    obverse: 'towards',
    approach: 'towards',
    reverse: 'away',
    leave: 'away',
    '': 'absent',
    '-': 'absent',
  } as const),
);

const movementOf = (text: string): Movement => MOVEMENTS.get(text.toLowerCase()) ?? 'unknown';

/**
 * Parses ITSAPI `TollgateInfo`; null: the document holds no picture of a vehicle.
 * @param zone the camera's IANA zone, in which its times are
 */
export function parseTollgate(document: unknown, zone: string): CameraRead | null {
  const picture = valueAt(document, 'Picture');
  if (typeof picture !== 'object' || picture === null) return null;
  const text = (...paths: string[]) => textAt(picture, paths);
  const isPlated = !['false', '0'].includes(text('Plate.IsExist').toLowerCase());
  const raw_plate = isPlated ? cleanText(text('Plate.PlateNumber'), READ_TEXT_MAX.raw_plate) : '';
  const time = text('SnapInfo.AccurateTime', 'SnapInfo.SnapTime');
  const box = valueAt(picture, 'Plate.BoundingBox');
  const id = [text('SnapInfo.DeviceID'), time, raw_plate].join(' ').trim();
  return {
    ...UNKNOWN_READ,
    vendor_event_id: time === '' ? null : cleanText(id, READ_TEXT_MAX.vendor_event_id),
    raw_plate,
    ...(['true', '1'].includes(text('SnapInfo.OpenStrobe').toLowerCase()) ? { opened_by_itself: true as const } : {}),
    confidence: confidenceOf(text('Plate.Confidence'), 100),
    movement: movementOf(text('SnapInfo.Direction')),
    camera_time: parseCameraTime(time, zone),
    type: vehicleType(text('Vehicle.VehicleType')),
    make: givenName(text('Vehicle.VehicleSign')),
    model: givenName(text('Vehicle.VehicleSeries')),
    color: givenName(text('Vehicle.VehicleColor'))?.toLowerCase() ?? null,
    pictures: {
      full: base64Jpeg(valueAt(picture, 'NormalPic.Content')) ?? base64Jpeg(valueAt(picture, 'VehiclePic.Content')),
      plate: base64Jpeg(valueAt(picture, 'CutoutPic.Content')),
      plate_box: boxAt(box),
    },
  };
}

/** Returns the text at a path of an event; empty when there is none. */
export type EventValue = (path: string) => string;

const EVENT_BOX = [0, 1, 2, 3].map((index) => `Object.BoundingBox[${index}]`);

/** Parses `TrafficJunction`, or another traffic event of a stream. A vehicle without a plate has no number in it. */
export function parseTrafficEvent(value: EventValue, zone: string): CameraRead {
  const first = (...paths: string[]) => paths.map(value).find((text) => text !== '') ?? '';
  const raw_plate = cleanText(first('TrafficCar.PlateNumber', 'Object.Text'), READ_TEXT_MAX.raw_plate);
  const utc = first('RealUTC', 'UTC');
  // Events of one group are of one vehicle, even when its plate is read better later. 0 stands for no group.
  const group = first('GroupID', 'EventID').replace(/^0$/, '');
  const id = (group === '' ? [utc, value('UTCMS'), raw_plate] : [group]).filter((text) => text !== '').join(' ');
  return {
    ...UNKNOWN_READ,
    vendor_event_id: utc === '' ? null : cleanText(id, READ_TEXT_MAX.vendor_event_id),
    raw_plate,
    confidence: confidenceOf(first('Object.Confidence', 'TrafficCar.Confidence'), 100),
    movement: movementOf(first('TrafficCar.DrivingDirection[0]', 'Direction')),
    camera_time: eventTime(value, zone),
    type: vehicleType(first('Vehicle.Category', 'TrafficCar.VehicleCategory')),
    make: givenName(first('Vehicle.Text', 'TrafficCar.VehicleSign')),
    color: givenName(first('TrafficCar.VehicleColor'))?.toLowerCase() ?? null,
    pictures: { full: null, plate: null, plate_box: boxAt(EVENT_BOX.map(value)) },
  };
}

/** `RealUTC` is true. `UTC` is the camera's wall time, written as if it were UTC. */
function eventTime(value: EventValue, zone: string): CameraRead['camera_time'] {
  const milliseconds = Number(value('UTCMS') || '0') % 1000;
  const real = Number(value('RealUTC') || 'NaN');
  const more = Number.isFinite(milliseconds) ? milliseconds : 0;
  if (isEpoch(real)) return { epoch_ms: real * 1000 + more, offset_min: 0 };
  const wall = Number(value('UTC') || 'NaN');
  if (!isEpoch(wall)) return null;
  return parseCameraTime(isoOfWall(wall * 1000 + more), zone);
}

const isEpoch = (seconds: number): boolean => Number.isSafeInteger(seconds) && seconds > 0 && seconds < 10_000_000_000;

function boxAt(four: unknown) {
  return Array.isArray(four) ? boxOf(four as unknown[], { form: 'corners', of: [BOX_SCALE, BOX_SCALE] }) : null;
}

const LINES_MAX = 2_000;
const LINE = /^Events\[0\]\.([^=]{1,200})=(.*)$/;

/** Parses the lines `Events[0].TrafficCar.PlateNumber=AB123` of a snapManager event; null: the text is no traffic event. */
export function parseEventLines(text: string): { code: string; value: EventValue } | null {
  const values = new Map<string, string>();
  for (const line of text.split('\n', LINES_MAX)) {
    const [, path, value] = LINE.exec(line.trim()) ?? [];
    if (path !== undefined && value !== undefined) values.set(path, value.trim());
  }
  const code = values.get('EventBaseInfo.Code') ?? values.get('Code') ?? '';
  return code === '' ? null : { code, value: (path) => values.get(path) ?? '' };
}

/**
 * Splits `Code=TrafficJunction;action=Pulse;index=0;data={...}` of the eventManager; null: the text has another form. `data` is JSON that
 * the caller parses.
 */
export function splitCodeLine(text: string): { code: string; action: string; data: string } | null {
  const [, code, action, data = ''] =
    /^\s*Code=(\w{1,64});action=(\w{1,32})(?:;index=-?\d{1,9})?(?:;data=([\s\S]*))?$/.exec(text) ?? [];
  return code === undefined || action === undefined ? null : { code, action, data };
}

/** Reads an event from a JSON document. */
export const valueIn =
  (document: unknown): EventValue =>
  (path) =>
    plainText(valueAt(document, path));
