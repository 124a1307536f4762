/** Bounds the texts of a read, whichever driver parsed it: the cloud could never commit a record that is too long. */
import type { CameraRead } from '../camera.js';
import { cleanText, READ_TEXT_MAX } from '../formats/camera-text-parser.js';

/** How many candidates of a plate are kept. */
export const CANDIDATES_MAX = 16;

/** Cuts the texts to the lengths of a record, and removes the characters that no database stores. An empty text becomes null. */
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
