/** Frames of the realtime connection: text frames `{"event","data","id"?}` with `data` always a string (realtime contract). */
import { z } from 'zod';
import type { ErrorEntry } from '../../shared/errors.js';
import { encodeTextFrame } from './text-frame-codec.js';

/** A client frame over this closes 1009. */
export const CLIENT_FRAME_BYTES_MAX = 16 * 1024;

/** Close codes of WebSocket itself, and of the realtime contract. */
export const CLOSE_GOING_AWAY = 1001;
export const CLOSE_POLICY = 1008;
export const CLOSE_INTERNAL_ERROR = 1011;
export const CLOSE_UNAUTHORIZED = 4401;
export const CLOSE_AUTHORIZE_TIMEOUT = 4408;
export const CLOSE_TOO_SLOW = 4429;

/**
 * A frame ready for the wire.
 * @param data the payload as JSON text; it travels as a string
 */
export function encodeFrame(event: string, data: string, id?: number): Buffer {
  const cursor = id === undefined ? '' : `,"id":"${id}"`;
  return encodeTextFrame(`{"event":${JSON.stringify(event)},"data":${JSON.stringify(data)}${cursor}}`);
}

export const AUTHORIZED_FRAME = encodeFrame('authorized', '');

/** Events were missed that the journal does not hold any more: the client reads the state anew over REST. */
export const RESYNC_REQUIRED_FRAME = encodeFrame('resync_required', '{}');

export const errorFrame = (error: ErrorEntry): Buffer => encodeFrame('error', JSON.stringify(error));

const clientFrameSchema = z.object({ event: z.enum(['authorize', 'subscribe']), data: z.unknown().optional() });

export type ClientFrame = z.infer<typeof clientFrameSchema>;

/** A frame the server knows, or null for any other text. */
export function parseClientFrame(text: string): ClientFrame | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return clientFrameSchema.safeParse(value).data ?? null;
}
