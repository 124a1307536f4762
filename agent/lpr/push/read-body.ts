/** Reads the body of a push within its bounds. */
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Context } from 'hono';
import { type BodyCoding, bodyChunks, BrokenGzip, incomingOf } from '../../../shared/node/request-body.js';
import { errorText } from '../../../shared/error-text.js';
import type { BodyReservation } from './body-budget.js';

const BODY_BYTES_MAX = 8 * 1024 * 1024;
/** What is copied before others have their turn. */
const TURN_BYTES = 512 * 1024;

/** Reads Content-Length: null when there is none, 'too_large' when it is no number, or more than a push may have. */
export function declaredBytes(declared: string | undefined): number | null | 'too_large' {
  if (declared === undefined) return null;
  return Number(declared) <= BODY_BYTES_MAX ? Number(declared) : 'too_large';
}

/** @param fault why the body is not whole, for people; null: it is */
export interface ReadBody {
  body: Uint8Array;
  fault: string | null;
}

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
  onArrived: (arrived: Uint8Array) => void;
}): Promise<ReadBody | 'too_large' | 'no_room'> {
  const { context, declared, coding, reservation, onArrived } = of;
  if (declared === null || coding !== 'identity') return readCounted(context, coding, reservation);
  const incoming = incomingOf(context);
  if (incoming === undefined || incoming.readableDidRead)
    return { body: new Uint8Array(await context.req.arrayBuffer()), fault: null };
  const body = await readIncoming(incoming, declared, (arrived) => {
    reservation.arrived(arrived.length);
    onArrived(arrived);
  });
  return { body, fault: null };
}

/** The body of a broken gzip is what came out of it. */
async function readCounted(
  context: Context,
  coding: BodyCoding,
  reservation: BodyReservation,
): Promise<ReadBody | 'too_large' | 'no_room'> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // How much a slow sender may take its time for is counted as it came: of a gzip, little holds much room.
  let arrived = 0;
  let fault: string | null = null;
  try {
    for await (const chunk of bodyChunks(context, coding, (more) => reservation.arrived((arrived += more)))) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) return 'too_large';
      if (!reservation.growTo(bytes)) return 'no_room';
      chunks.push(chunk);
    }
  } catch (error) {
    if (!(error instanceof BrokenGzip)) throw error;
    fault = `it is no whole gzip: ${errorText(error)}`;
  }
  return { body: await joined(chunks, bytes), fault };
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
  onArrived: (arrived: Uint8Array) => void,
): Promise<Uint8Array> {
  const body = Buffer.allocUnsafeSlow(bytes);
  let arrived = 0;
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      chunk.copy(body, arrived);
      arrived += chunk.length;
      try {
        onArrived(body.subarray(0, arrived));
      } catch (error) {
        reject(error);
      }
    });
    // Node.js ends a body at its declared length.
    incoming.once('end', () => resolve(body));
    incoming.once('error', reject);
    incoming.once('close', () => reject(new Error(`the connection broke off after ${arrived} of ${bytes} bytes`)));
  });
}
