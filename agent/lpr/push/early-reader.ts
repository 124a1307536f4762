/**
 * Reads a vehicle from a push of which only the beginning has arrived. Pictures are most of the bytes of a push, and on a slow link the
 * decision would wait long for them.
 */
import type { CameraPush, CameraRead, PushReader } from '../camera.js';
import { firstWholePart, isMultipart } from '../formats/multipart-splitter.js';

/** A first part that is longer is read when the whole push has arrived. */
const LOOK_BYTES_MAX = 64 * 1024;
/**
 * So many bytes arrive between two looks, so that a body that arrives in small pieces costs no more than a few looks at each of its bytes.
 */
const LOOK_EVERY_BYTES = 1024;

/** Looks at the bytes that have arrived; null: no read is found in them. A read is found once. */
export type EarlyReader = (arrived: Uint8Array) => CameraRead | null;

/** null: a push of this driver is read only when all of it has arrived. */
export function createEarlyReader(
  reader: PushReader,
  push: Pick<CameraPush, 'contentType' | 'camera'>,
): EarlyReader | null {
  const { parseFirst } = reader;
  const { contentType } = push;
  if (parseFirst === undefined || !isMultipart(contentType)) return null;
  let lookAt = 0;
  return (arrived) => {
    if (arrived.length < lookAt) return null;
    lookAt = arrived.length > LOOK_BYTES_MAX ? Infinity : arrived.length + LOOK_EVERY_BYTES;
    const part = firstWholePart(arrived.subarray(0, LOOK_BYTES_MAX), contentType);
    if (part === null) return null;
    lookAt = Infinity;
    const read = parseFirst(part, push);
    // Without an id, the whole push would be taken for another vehicle.
    return read === null || read.vendor_event_id === null || read.retransmission ? null : read;
  };
}
