/**
 * Parses the messages of Frigate about plates. A vehicle has one id while it is in the picture; later messages with that id refine the
 * read. When Frigate starts, what stands in the picture gets new ids: a vehicle counts once it has moved.
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

/** More vehicles than are in the pictures of one Frigate. */
const OBJECTS_MAX = 1_000;

/**
 * Takes the messages of one Frigate in their order.
 * @param topic the last word of the topic: `tracked_object_update` or `events`
 * @returns null for a message without a plate, and for what has not moved since Frigate knows it, or is no vehicle after all
 */
export function createFrigateReader(): (topic: string, message: unknown) => FrigatePlate | null {
  /**
   * The last word of each event: updates of a plate do not say whether its vehicle moves. The oldest is forgotten
   * first.
   */
  const counts = new Map<string, boolean>();
  const note = (id: string, isCounted: boolean) => {
    counts.delete(id);
    counts.set(id, isCounted);
    const [oldest] = counts.keys();
    if (counts.size > OBJECTS_MAX && oldest !== undefined) counts.delete(oldest);
  };
  return (topic, message) => {
    const id = textAt(message, ['after.id', 'id']);
    const said = topic === 'events' ? objectSaid(message) : null;
    const counted = counts.get(id);
    const isCounted =
      said === null ? counted !== false : said === 'vehicle' || (said === 'unmoved' && counted === true);
    if (said !== null && id !== '') note(id, isCounted);
    return isCounted ? parsePlate(topic, message) : null;
  };
}

/**
 * Reads the state of an event's object. Frigate counts in `position_changes` how often it moved, and in
 * `motionless_count` the pictures since. It calls it stationary only after many of them, so that a plate of a parked
 * vehicle is read before.
 */
function objectSaid(message: unknown): 'vehicle' | 'unmoved' | 'false positive' {
  const text = (path: string) => textAt(message, [`after.${path}`]);
  if (text('false_positive') === 'true') return 'false positive';
  const isStill = text('stationary') === 'true' || Number(text('motionless_count')) > 0;
  return isStill && Number(text('position_changes')) === 0 ? 'unmoved' : 'vehicle';
}

function parsePlate(topic: string, message: unknown): FrigatePlate | null {
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
