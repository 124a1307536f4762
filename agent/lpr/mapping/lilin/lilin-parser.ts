/** Parses the plates of a LILIN camera: the newest four in each part of its alarm stream, and those of its log. */
import type { CameraRead } from '../../camera.js';
import { cleanText, READ_TEXT_MAX, shareOf, UNKNOWN_READ } from '../../formats/camera-text-parser.js';
import { parseCameraTime } from '../../formats/camera-time-parser.js';
import { countryCode } from '../../formats/country-parser.js';
import { parseJson } from '../../formats/document-parser.js';
import { textAt, valueAt } from '../../formats/path-parser.js';

const NEWEST = 4;
const LOGGED_MAX = 1_000;

/**
 * Parses `LPR0=ZG4821AB,ACT_PARAM0=Visitor,…,LPR_TIME0=2026-01-15 12:00:00 GMT,…`, the oldest plate first. Its pictures are not used,
 * because they are no JPEGs.
 */
export function parseAlarmPart(text: string): CameraRead[] {
  const values = new Map(
    text.split(/\s(?=LPR\d=)|[,\r\n]/).flatMap((pair) => {
      const [, name, value = ''] = /^\s*(LPR\d|LPR_TIME\d)=(.*)$/.exec(pair) ?? [];
      return name === undefined ? [] : [[name, value.trim()] as const];
    }),
  );
  return Array.from({ length: NEWEST }, (_, at) => NEWEST - 1 - at).flatMap((index) => {
    const plate = values.get(`LPR${index}`) ?? '';
    return plate === '' ? [] : [readOf({ plate, time: values.get(`LPR_TIME${index}`) ?? '' })];
  });
}

/** Parses the plates of the log (`get_search_info?list=log`) since that time, the oldest first. */
export function parseKeptPlates(text: string, since_ms: number): CameraRead[] {
  const list = valueAt(parseJson(text), 'INFORMATION');
  const reads = (Array.isArray(list) ? (list as unknown[]).slice(0, LOGGED_MAX) : []).flatMap((entry) => {
    const read = readOf({
      plate: textAt(entry, ['LPR']),
      time: textAt(entry, ['MOD_TS']),
      sure: textAt(entry, ['THRESHOLD']),
      country: textAt(entry, ['COUNTRY']),
    });
    const at_ms = read.camera_time?.epoch_ms ?? -Infinity;
    if (read.raw_plate === '' || at_ms < since_ms) return [];
    return [{ at_ms, read: { ...read, retransmission: true, history: true } }];
  });
  // The log begins with the newest plate, and does not show the order within a second.
  return reads
    .toReversed()
    .toSorted((a, b) => a.at_ms - b.at_ms)
    .map(({ read }) => read);
}

/** Makes a read. The camera has no event ids, so that the id is made of the time and the plate. */
function readOf(said: { plate: string; time: string; sure?: string; country?: string }): CameraRead {
  const { plate, time, sure = '', country = '' } = said;
  const raw_plate = cleanText(plate, READ_TEXT_MAX.raw_plate);
  return {
    ...UNKNOWN_READ,
    vendor_event_id: time === '' ? null : cleanText(`${time} ${raw_plate}`, READ_TEXT_MAX.vendor_event_id),
    raw_plate,
    confidence: shareOf(sure),
    camera_time: parseCameraTime(time.replace(/\s*GMT$/i, ''), 'UTC'),
    country_code: countryCode(country),
  };
}
