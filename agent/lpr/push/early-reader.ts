/**
 * Reads a vehicle from a push of which only the beginning has come. The pictures behind it are most of its bytes, and the slower a camera's
 * link is, the longer a driver would wait for them.
 */
import type { CameraPush, CameraRead, PushReader } from '../camera.js';
import { firstWholePart, isMultipart } from '../formats/multipart-splitter.js';

/** What is not whole by then is read when all has come. */
const LOOK_BYTES_MAX = 64 * 1024;
/** Between two looks, so that a body that comes in crumbs costs no more than a few looks at each of its bytes. */
const LOOK_EVERY_BYTES = 1024;

/** Looks at what has come of the body; null: not yet, or never. It finds a read once. */
export type EarlyReader = (arrived: Uint8Array) => CameraRead | null;

/** null: what this driver's cameras push is read when all of it has come. */
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
    // Without an id its second half would be another vehicle.
    return read === null || read.vendor_event_id === null || read.retransmission ? null : read;
  };
}
