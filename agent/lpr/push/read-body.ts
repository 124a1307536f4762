/** Reads the body of a push within its bounds. */
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Context } from 'hono';
import { type BodyCoding, bodyChunks, BrokenGzip, incomingOf } from '../../../shared/node/request-body.js';
import { errorText } from '../../../shared/error-text.js';
import type { BodyReservation } from './body-budget.js';

export const BODY_BYTES_MAX = 8 * 1024 * 1024;
/** So much is copied before others have their turn. */
const TURN_BYTES = 512 * 1024;

/** Reads Content-Length: null when there is none, 'too_large' when it is no number, or more than a push may have. */
export function declaredBytes(declared: string | undefined): number | null | 'too_large' {
  if (declared === undefined) return null;
  return Number(declared) <= BODY_BYTES_MAX ? Number(declared) : 'too_large';
}

export interface ReadBody {
  body: Uint8Array;
  /** Why the body is not whole, for people; null: it is, or it was not read to its end. */
  fault: string | null;
  /** It was not read to its end, because `look` said so. */
  isStopped: boolean;
}

/** Looks at each piece of a body when it arrives; false: nothing more is read. An exception fails the push. */
export type LookAtPiece = (piece: Uint8Array) => boolean;

/**
 * Reads a body of the declared length, or counts a body whose length shows only as it arrives or is inflated; 'no_room': the reservation
 * cannot grow with it.
 * @param of.onArrived called each time more of a body of declared length has arrived, with all of it so far; an exception fails the push
 */
export async function readBody(of: {
  context: Context;
  declared: number | null;
  coding: BodyCoding;
  reservation: BodyReservation;
  look: LookAtPiece;
  onArrived: (arrived: Uint8Array) => void;
}): Promise<ReadBody | 'too_large' | 'no_room'> {
  const { context, declared, coding, reservation, look, onArrived } = of;
  const incoming = incomingOf(context);
  const isKnown = declared !== null && coding === 'identity';
  if (!isKnown || incoming === undefined || incoming.readableDidRead) return readCounted(context, of);
  return readIncoming(incoming, declared, (arrived, piece) => {
    reservation.arrived(arrived.length);
    const goesOn = look(piece);
    if (goesOn) onArrived(arrived);
    return goesOn;
  });
}

/** The body of a broken gzip is what came out of it. */
async function readCounted(
  context: Context,
  { coding, reservation, look }: { coding: BodyCoding; reservation: BodyReservation; look: LookAtPiece },
): Promise<ReadBody | 'too_large' | 'no_room'> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // How much a slow sender may take its time for is counted as it came: of a gzip, little holds much room.
  let arrived = 0;
  let fault: string | null = null;
  let isStopped = false;
  try {
    for await (const chunk of bodyChunks(context, coding, (more) => reservation.arrived((arrived += more)))) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) return 'too_large';
      if (!reservation.growTo(bytes)) return 'no_room';
      chunks.push(chunk);
      isStopped = !look(chunk);
      if (isStopped) break;
    }
  } catch (error) {
    if (!(error instanceof BrokenGzip)) throw error;
    fault = `it is no whole gzip: ${errorText(error)}`;
  }
  return { body: await joined(chunks, bytes), fault, isStopped };
}

/** Joining a large body at once would hold up the decisions for other cameras for milliseconds. */
async function joined(chunks: readonly Uint8Array[], bytes: number): Promise<Uint8Array> {
  const body = Buffer.allocUnsafeSlow(bytes);
  let filled = 0;
  let inTurn = 0;
  for (const chunk of chunks) {
    body.set(chunk, filled);
    filled += chunk.length;
    inTurn += chunk.length;
    if (inTurn < TURN_BYTES) continue;
    inTurn = 0;
    await setImmediate();
  }
  return body;
}

/**
 * Copies each chunk to its place when it arrives. Joining a large body at the end would hold up the decisions for other cameras for
 * milliseconds.
 */
function readIncoming(
  incoming: IncomingMessage,
  bytes: number,
  onArrived: (arrived: Uint8Array, piece: Uint8Array) => boolean,
): Promise<ReadBody> {
  const body = Buffer.allocUnsafeSlow(bytes);
  let arrived = 0;
  return new Promise((resolve, reject) => {
    const copy = (chunk: Buffer) => {
      chunk.copy(body, arrived);
      arrived += chunk.length;
      try {
        if (onArrived(body.subarray(0, arrived), chunk)) return;
        incoming.off('data', copy).pause();
        resolve({ body: body.subarray(0, arrived), fault: null, isStopped: true });
      } catch (error) {
        reject(error);
      }
    };
    incoming.on('data', copy);
    // Node.js ends a body at its declared length.
    incoming.once('end', () => resolve({ body, fault: null, isStopped: false }));
    incoming.once('error', reject);
    incoming.once('close', () => reject(new Error(`the connection broke off after ${arrived} of ${bytes} bytes`)));
  });
}
