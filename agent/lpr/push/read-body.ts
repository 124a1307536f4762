/** Reads the body of a push within its bounds. */
import type { BodyReservation } from './body-budget.js';

const BODY_BYTES_MAX = 8 * 1024 * 1024;

/** How long a body says it is: null when it does not say, 'too_large' when it says no number, or one that no push may have. */
export function declaredBytes(request: Request): number | null | 'too_large' {
  const declared = request.headers.get('content-length');
  if (declared === null) return null;
  return Number(declared) <= BODY_BYTES_MAX ? Number(declared) : 'too_large';
}

/** Reads a body of the declared length, or counts one without it as it comes; 'no_room': the reservation cannot grow as it does. */
export async function readBody(
  request: Request,
  declared: number | null,
  reservation: BodyReservation,
): Promise<Uint8Array | 'too_large' | 'no_room'> {
  if (declared !== null) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return 'too_large';
    if (!reservation.growTo(bytes)) return 'no_room';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
