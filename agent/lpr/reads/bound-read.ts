/** Bounds what a read says, whichever driver parsed it: a record that is too long could never be committed by the cloud. */
import type { CameraRead } from '../camera.js';
import { cleanText, READ_TEXT_MAX } from '../formats/camera-text-parser.js';

/** Cuts the texts to what a record holds, and takes out what no database stores. What is left empty was not known. */
export function boundRead(read: CameraRead): CameraRead {
  const bound = (name: Exclude<keyof typeof READ_TEXT_MAX, 'raw_plate'>): string | null => {
    const text = read[name];
    return text === null ? null : cleanText(text, READ_TEXT_MAX[name]) || null;
  };
  return {
    ...read,
    raw_plate: cleanText(read.raw_plate, READ_TEXT_MAX.raw_plate),
    vendor_event_id: bound('vendor_event_id'),
    make: bound('make'),
    color: bound('color'),
    model: bound('model'),
    country_code: bound('country_code'),
  };
}
