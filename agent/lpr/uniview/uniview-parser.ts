/** Parses what Uniview cameras post to a subscription: structured vehicles, alarms, and information about the camera. */
import type { CameraRead } from '../camera.js';
import { cleanText, READ_TEXT_MAX, shareOf, UNKNOWN_READ } from '../formats/camera-text-parser.js';
import { textAt, valueAt } from '../formats/path-parser.js';
import { base64Jpeg, boxOf, fullAndPlate } from '../formats/picture-parser.js';
import { parseTimeAs } from '../formats/camera-time-parser.js';
import { vehicleType } from '../formats/vehicle-type-parser.js';

const VEHICLES_MAX = 16;
const IMAGES_MAX = 8;
const VEHICLES = [
  'StructureInfo.ObjInfo.VehicleInfoList',
  'StructureDataInfo.ObjInfo.VehicleInfoList',
  'ObjInfo.VehicleInfoList',
  'VehicleInfoList',
];
/** Boxes use this scale. */
const BOX_SCALE = 10_000;

/** null: the document holds no list of vehicles. */
export function parseUniviewVehicles(document: unknown): CameraRead[] | null {
  const list = VEHICLES.map((path) => valueAt(document, path)).find((value) => value !== undefined);
  if (list === undefined) return null;
  const vehicles = Array.isArray(list) ? (list as unknown[]).slice(0, VEHICLES_MAX) : [list];
  const time = parseTimeAs(textAt(document, ['TimeStamp', 'Timestamp', 'StructureInfo.TimeStamp']), 'seconds', 'UTC');
  const seq = textAt(document, ['Seq', 'NotificationSeq', 'StructureInfo.Seq']);
  const { full, plate } = imagesOf(document);
  return vehicles.flatMap((vehicle, index) => {
    const text = (...paths: string[]) => textAt(vehicle, paths);
    if (valueAt(vehicle, 'PlateAttributeInfo') === undefined) return [];
    const written = cleanText(text('PlateAttributeInfo.PlateNo'), READ_TEXT_MAX.raw_plate);
    const raw_plate = written.toLowerCase() === 'unknown' ? '' : written;
    // A message that is sent again with a better plate has the same number.
    const which = seq === '' ? raw_plate : text('ID') || `${index + 1}`;
    const id = [seq, which, time?.epoch_ms ?? ''].filter((each) => each !== '').join(' ');
    const corners = ['LeftTopX', 'LeftTopY', 'RightBottomX', 'RightBottomY'];
    const four = corners.map((name) => valueAt(vehicle, `PlateAttributeInfo.Position.${name}`));
    return [
      {
        ...UNKNOWN_READ,
        vendor_event_id: time === null ? null : cleanText(id, READ_TEXT_MAX.vendor_event_id),
        raw_plate,
        confidence: shareOf(text('PlateAttributeInfo.Confidence', 'Confidence'), 100),
        camera_time: time,
        type: vehicleType(text('VehicleAttributeInfo.Type')),
        pictures: { full, plate, plate_box: boxOf(four, { form: 'corners', of: [BOX_SCALE, BOX_SCALE] }) },
      },
    ];
  });
}

function imagesOf(document: unknown): { full: Uint8Array | null; plate: Uint8Array | null } {
  const list = valueAt(document, 'StructureInfo.ImageInfoList') ?? valueAt(document, 'ImageInfoList');
  const images = Array.isArray(list) ? (list as unknown[]).slice(0, IMAGES_MAX) : [];
  return fullAndPlate(images.flatMap((image) => base64Jpeg(valueAt(image, 'Data')) ?? []));
}
