/** Parses a plate of a Zhenshi camera, pushed over HTTP or published at a broker. */
import type { Movement } from '../../../shared/access/resolve-direction.js';
import type { CameraRead, PlateCandidate } from '../camera.js';
import { cleanText, READ_TEXT_MAX, shareOf, UNKNOWN_READ } from '../formats/camera-text-parser.js';
import { textAt, valueAt } from '../formats/path-parser.js';
import { base64Jpeg } from '../formats/picture-parser.js';

const RESULT = 'result.PlateResult';
const NO_PLATE = '_无_';
/** The direction in the picture: down is towards the camera. A sideways direction shows neither in nor out. */
const MOVEMENTS = new Map<string, Movement>(Object.entries({ '3': 'away', '4': 'towards', '': 'absent' } as const));
const PLATES_MAX = 32;
const OUTPUTS_MAX = 8;
const MILLISECONDS_FROM = 1_000_000;

export interface ZhenshiPlate {
  read: CameraRead;
  /** The camera's number of the record, for the answer; null: the record has none. */
  plateId: number | null;
}

/** @param isBase64 texts are in base64, as they are at a broker */
export function parseZhenshiPlate(alarm: unknown, { isBase64 }: { isBase64: boolean }): ZhenshiPlate | null {
  const result = valueAt(alarm, RESULT);
  if (typeof result !== 'object' || result === null || valueAt(result, 'license') === undefined) return null;
  const text = (...paths: string[]) => textAt(result, paths);
  const written = isBase64 ? decoded(text('license')) : text('license');
  const license = cleanText(written, READ_TEXT_MAX.raw_plate);
  const history = ['1', 'true'].includes(text('isoffline') || textAt(alarm, ['isoffline']));
  const seconds = Number(text('timeStamp.Timeval.sec') || 'NaN');
  const fraction = Number(text('timeStamp.Timeval.usec') || '0');
  const epoch_ms = Math.round(seconds * 1000 + (fraction >= 0 && fraction < MILLISECONDS_FROM ? fraction / 1000 : 0));
  const plateId = Number(text('plateid') || 'NaN');
  const read: CameraRead = {
    ...UNKNOWN_READ,
    vendor_event_id: eventId(alarm, { uuid: text('record_uuid'), plateId: text('plateid'), seconds }),
    raw_plate: license === NO_PLATE ? '' : license,
    confidence: shareOf(text('confidence'), 100),
    movement: MOVEMENTS.get(text('direction')) ?? 'unknown',
    camera_time: Number.isSafeInteger(epoch_ms) && epoch_ms > 0 ? { epoch_ms, offset_min: 0 } : null,
    retransmission: history,
    pictures: {
      full: base64Jpeg(valueAt(result, 'imageFile')),
      plate: base64Jpeg(valueAt(result, 'imageFragmentFile')),
      plate_box: null,
    },
  };
  if (history) read.history = true;
  if (isOpenedByList(valueAt(result, 'gioouts'))) read.opened_by_itself = true;
  const candidates = furtherReadings(valueAt(result, 'plates'), { isBase64, license });
  if (candidates.length > 0) read.candidates = candidates;
  return { read, plateId: Number.isSafeInteger(plateId) ? plateId : null };
}

/** `gioouts` lists the outputs that the camera switched, each with the reason; 2 stands for its own list. */
const isOpenedByList = (outputs: unknown): boolean =>
  Array.isArray(outputs) &&
  (outputs as unknown[]).slice(0, OUTPUTS_MAX).some((each) => textAt(each, ['ctrltype']) === '2');

/** `plates` lists the readings of the plate, the camera's own choice among them, without a confidence. */
function furtherReadings(
  plates: unknown,
  { isBase64, license }: { isBase64: boolean; license: string },
): PlateCandidate[] {
  return (Array.isArray(plates) ? (plates as unknown[]).slice(0, PLATES_MAX) : []).flatMap((each) => {
    const written = textAt(each, ['license']);
    const raw_plate = cleanText(isBase64 ? decoded(written) : written, READ_TEXT_MAX.raw_plate);
    return raw_plate === '' || raw_plate === NO_PLATE || raw_plate === license ? [] : [{ raw_plate, confidence: null }];
  });
}

/** The camera's number of a plate begins anew with its memory, so that it identifies an event only together with camera and second. */
function eventId(
  alarm: unknown,
  { uuid, plateId, seconds }: { uuid: string; plateId: string; seconds: number },
): string | null {
  if (uuid !== '') return cleanText(uuid, READ_TEXT_MAX.vendor_event_id);
  if (plateId === '' || !Number.isFinite(seconds)) return null;
  return cleanText([textAt(alarm, ['serialno']), plateId, seconds].join(' ').trim(), READ_TEXT_MAX.vendor_event_id);
}

function decoded(text: string): string {
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  return isBase64 ? Buffer.from(text, 'base64').toString('utf8') : text;
}
