/** Frames of the realtime connection: text frames `{"event","data","id"?}` with `data` always a string (realtime contract, "Frames"). */
import { z } from 'zod';
import type { ErrorEntry } from '../../../shared/errors.js';
import { brokenJsonBound, type JsonBounds } from '../../../shared/json-measure.js';
import { parseJson } from '../../../shared/json-text-codec.js';
import { encodeTextFrame } from './text-frame-codec.js';

/** A longer frame of a client closes the connection with 1009. */
export const CLIENT_FRAME_BYTES_MAX = 16 * 1024;
/** A frame that has more is none: the largest subscription has three lists. */
const CLIENT_FRAME_BOUNDS: JsonBounds = { depth: 8, keysInObject: 32, keys: 64, values: 4_000 };

/** Close codes: those of WebSocket itself, and ours (realtime contract, "Connection"). */
export const CLOSE_RESTART = 1012;
export const CLOSE_POLICY = 1008;
export const CLOSE_INTERNAL_ERROR = 1011;
export const CLOSE_TRY_AGAIN_LATER = 1013;
export const CLOSE_UNAUTHORIZED = 4401;
export const CLOSE_AUTHORIZE_TIMEOUT = 4408;
export const CLOSE_TOO_SLOW = 4429;

/**
 * Encodes a frame for the wire.
 * @param data the payload as JSON text; it travels as a string
 */
export function encodeFrame(event: string, data: string, id?: number): Buffer {
  const cursor = id === undefined ? '' : `,"id":"${id}"`;
  return encodeTextFrame(`{"event":${JSON.stringify(event)},"data":${JSON.stringify(data)}${cursor}}`);
}

/** @param cursor from which the connection resumes if it is cut before its first event */
export const authorizedFrame = (cursor: number): Buffer => encodeFrame('authorized', '', cursor);

/** The answer to an accepted subscription, which applies to all frames after it. */
export const subscribedFrame = (subscription: unknown): Buffer =>
  encodeFrame('subscribed', JSON.stringify(subscription));

/** Says that events were missed that the journal no longer holds: the client must read the state again over REST. */
export const RESYNC_REQUIRED_FRAME = encodeFrame('resync_required', '{}');

/** Says where to go on from after a long time without an event. */
export const cursorFrame = (cursor: number): Buffer => encodeFrame('cursor', '{}', cursor);

/** @param errors at least one; `data` has the first, as other frames have all that they say */
export function errorFrame(errors: readonly ErrorEntry[]): Buffer {
  const data = JSON.stringify(JSON.stringify(errors[0]));
  return encodeTextFrame(`{"event":"error","data":${data},"errors":${JSON.stringify(errors)}}`);
}

const clientFrameSchema = z.object({ event: z.enum(['authorize', 'subscribe']), data: z.unknown().optional() });

export type ClientFrame = z.infer<typeof clientFrameSchema>;

/** Parses a frame that the server knows; null for any other text. */
export function parseClientFrame(text: string): ClientFrame | null {
  if (brokenJsonBound(text, CLIENT_FRAME_BOUNDS) !== null) return null;
  return clientFrameSchema.safeParse(parseJson(text)).data ?? null;
}
