import type { Clock } from '../../../shared/clock.js';
import type { CarParkCamera } from '../car-park.js';
import type { PushRequest } from './camera-vendor.js';
import { errorText } from '../../../shared/error-text.js';

const TIMEOUT_MS = 10_000;

export type PostOutcome =
  | { outcome: 'answered'; status: number }
  /** Nobody answered. */
  | { outcome: 'unreachable'; reason: string };

/** Returns the address that a camera pushes to: `{agent}/lpr/{driver}/{device_id}/{push_key}`. */
export function pushUrl(agentUrl: string, camera: CarParkCamera): string {
  const path = ['lpr', camera.driver, camera.device_id, camera.push_key].map(encodeURIComponent).join('/');
  return `${agentUrl.replace(/\/+$/, '')}/${path}`;
}

/** Sends an event once. Never rejects. */
export async function postEvent(options: {
  url: string;
  request: PushRequest;
  clock: Clock;
  signal: AbortSignal;
}): Promise<PostOutcome> {
  const tooLate = new AbortController();
  const timer = options.clock.setTimer(TIMEOUT_MS, () => tooLate.abort(new Error(`nothing within ${TIMEOUT_MS} ms`)));
  try {
    const response = await fetch(options.url, {
      method: 'POST',
      headers: { 'Content-Type': options.request.contentType, ...options.request.headers },
      body: new Uint8Array(options.request.body),
      signal: AbortSignal.any([options.signal, tooLate.signal]),
    });
    await response.body?.cancel();
    return { outcome: 'answered', status: response.status };
  } catch (error) {
    return { outcome: 'unreachable', reason: reasonOf(error) };
  } finally {
    timer.cancel();
  }
}

/** The reason of a failed `fetch`, which is in the cause of its error. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return errorText(cause);
}
