/** Reads the body of a push within its bounds. */
import type { IncomingMessage } from 'node:http';
import type { BodyReservation } from './body-budget.js';

const BODY_BYTES_MAX = 8 * 1024 * 1024;

/** Reads Content-Length: null when there is none, 'too_large' when it is no number, or more than a push may have. */
export function declaredBytes(declared: string | undefined): number | null | 'too_large' {
  if (declared === undefined) return null;
  return Number(declared) <= BODY_BYTES_MAX ? Number(declared) : 'too_large';
}

/**
 * Reads a body of the declared length, or counts a body without one as it arrives; 'no_room': the reservation cannot grow with it.
 * @param incoming the request as Node.js has it; undefined: the request came another way
 * @param onArrived called each time more of a body of declared length has arrived, with all of it so far; an exception fails the push
 */
export async function readBody(
  request: Request,
  declared: number | null,
  reservation: BodyReservation,
  incoming: IncomingMessage | undefined,
  onArrived?: (arrived: Uint8Array) => void,
): Promise<Uint8Array | 'too_large' | 'no_room'> {
  if (declared !== null) {
    if (incoming !== undefined && !incoming.readableDidRead)
      return readIncoming(incoming, declared, (arrived) => {
        reservation.arrived(arrived.length);
        onArrived?.(arrived);
      });
    return new Uint8Array(await request.arrayBuffer());
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return 'too_large';
    if (!reservation.growTo(bytes)) return 'no_room';
    reservation.arrived(bytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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
