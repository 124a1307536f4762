/**
 * Keeps a connection to a camera open: makes it again when it ends, with growing pauses, and leaves a camera that refuses the account alone
 * for an hour.
 */
import { type BackoffLimits, createLinkWaits } from '../../../shared/backoff.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import type { CameraSource, SourceListener } from '../camera.js';
import { reasonOf } from './camera-client.js';
import { CameraRefusal, REFUSED_REST_MS } from './refused-accounts.js';

const PAUSES: BackoffLimits = { baseMs: 1_000, maxMs: 60_000 };
/** A connection that stayed open this long, and as long as the pause before it, was good: the pauses begin again at the shortest. */
const GOOD_AFTER_MS = 30_000;

export interface KeptOpen {
  clock: Clock;
  random: () => number;
  listener: Pick<SourceListener, 'onFault'>;
  /** Opens the connection, and returns when it is over, or throws the reason. `onUp` is called when the camera is heard. */
  attempt(signal: AbortSignal, onUp: () => void): Promise<void>;
}

export function keepOpen({ clock, random, listener, attempt }: KeptOpen): CameraSource {
  const closing = new AbortController();
  const { signal } = closing;
  const pauses = createLinkWaits({ limits: PAUSES, goodAfterMs: GOOD_AFTER_MS, clock, random });

  async function run(): Promise<void> {
    while (!signal.aborted) {
      let pauseMs = 0;
      try {
        await attempt(signal, () => {
          pauses.opened();
          if (!signal.aborted) listener.onFault(null);
        });
        if (!signal.aborted) listener.onFault('it closed the connection');
      } catch (error) {
        if (signal.aborted) return;
        listener.onFault(reasonOf(error));
        if (error instanceof CameraRefusal) pauseMs = REFUSED_REST_MS;
      }
      if (signal.aborted) return;
      await sleep(clock, Math.max(pauseMs, pauses.lost()), signal).catch(() => undefined);
    }
  }

  // A driver calls its listener only after `open` has returned.
  const ended = Promise.resolve().then(run);
  return {
    close() {
      closing.abort(new Error('the camera is not listened to any more'));
      return ended;
    },
  };
}
