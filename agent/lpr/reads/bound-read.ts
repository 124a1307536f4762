/** Bounds what a read says, whichever driver parsed it: a record that is too long could never be committed by the cloud. */
import type { CameraRead } from '../camera.js';
import { cleanText, READ_TEXT_MAX } from '../formats/camera-text-parser.js';

/** How many candidates of a plate are looked at. */
export const CANDIDATES_MAX = 16;

/** Cuts the texts to what a record holds, and takes out what no database stores. What is left empty was not known. */
export function boundRead(read: CameraRead): CameraRead {
  const bound = (name: Exclude<keyof typeof READ_TEXT_MAX, 'raw_plate'>): string | null => {
    const text = read[name];
    return text === null ? null : cleanText(text, READ_TEXT_MAX[name]) || null;
  };
  const bounded = (raw_plate: string) => cleanText(raw_plate, READ_TEXT_MAX.raw_plate);
  const { candidates } = read;
  return {
    ...read,
    raw_plate: bounded(read.raw_plate),
    ...(candidates === undefined
      ? {}
      : {
          candidates: candidates
            .slice(0, CANDIDATES_MAX)
            .map((each) => ({ ...each, raw_plate: bounded(each.raw_plate) })),
        }),
    vendor_event_id: bound('vendor_event_id'),
    make: bound('make'),
    color: bound('color'),
    model: bound('model'),
    country_code: bound('country_code'),
  };
}
