/**
 * Parses the messages of Frigate about plates. A vehicle has one id while it is in the picture; later messages with that id refine the
 * read.
 */
import type { CameraRead } from '../camera.js';
import { cleanText, READ_TEXT_MAX, shareOf, UNKNOWN_READ } from '../formats/camera-text-parser.js';
import { textAt, valueAt } from '../formats/path-parser.js';
import { parseTimeAs } from '../formats/camera-time-parser.js';

/** A read, and Frigate's name of the camera. */
export interface FrigatePlate {
  camera: string;
  read: CameraRead;
}

/**
 * @param topic the last word of the topic: `tracked_object_update` or `events`
 * @returns null for a message without a plate
 */
export function parseFrigateMessage(topic: string, message: unknown): FrigatePlate | null {
  if (topic === 'tracked_object_update') {
    if (textAt(message, ['type']) !== 'lpr') return null;
    const text = (path: string) => textAt(message, [path]);
    return plateOf({
      camera: text('camera'),
      id: text('id'),
      plate: text('plate'),
      score: text('score'),
      time: text('timestamp'),
    });
  }
  // Other types of events say nothing new: they come after the vehicle has left.
  if (topic !== 'events' || !['new', 'update'].includes(textAt(message, ['type']))) return null;
  const written = valueAt(message, 'after.recognized_license_plate');
  const text = (path: string) => textAt(message, [`after.${path}`]);
  return plateOf({
    camera: text('camera'),
    id: text('id'),
    // Some versions write a plate with its score as a list of two.
    plate: Array.isArray(written) ? textAt(written, ['[0]']) : text('recognized_license_plate'),
    score: Array.isArray(written) ? textAt(written, ['[1]']) : text('recognized_license_plate_score'),
    time: text('frame_time'),
  });
}

function plateOf(said: Record<'camera' | 'id' | 'plate' | 'score' | 'time', string>): FrigatePlate | null {
  if (said.plate === '') return null;
  return {
    camera: said.camera,
    read: {
      ...UNKNOWN_READ,
      vendor_event_id: cleanText(said.id, READ_TEXT_MAX.vendor_event_id) || null,
      tracked: true,
      raw_plate: cleanText(said.plate, READ_TEXT_MAX.raw_plate),
      confidence: shareOf(said.score),
      camera_time: parseTimeAs(said.time, 'seconds', 'UTC'),
    },
  };
}
