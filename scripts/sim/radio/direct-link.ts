/** A link of the direct radio: fragments arrive whole and in order, delayed by the path. It ends when nothing gets through. */
import { type LinkChannel, RadioError, type RadioLink } from '../../../agent/product/radio.js';
import { createNotificationFeed } from '../../../agent/product/notification-feed.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import { waitFor } from '../../../agent/waiting/wait-for.js';
import type { Clock, Timer } from '../../../shared/clock.js';
import type { PathSettings } from './paths.js';

/** The header of a notification, before its value. */
export const NOTIFICATION_HEADER_BYTES = 3;
const SUPERVISION_TIMEOUT_MS = 420;
/** A lost packet is sent again this much later. */
const CONNECTION_INTERVAL_MS = 30;
/** More losses in a row than these take as long as the supervision timeout. */
const REPEATS_MAX = SUPERVISION_TIMEOUT_MS / CONNECTION_INTERVAL_MS;

/** The product's end. */
export interface DirectLink {
  /** Name of the gateway at its other end. */
  readonly central: string;
  readonly channel: LinkChannel;
  notify(fragment: Uint8Array): void;
  /** Ends the link after everything that the product sent has arrived. */
  finish(): void;
  /** Ends it at once. */
  end(): void;
}

export interface DirectLinkOptions {
  clock: Clock;
  random: () => number;
  writeTimeoutMs: number;
  central: string;
  address: string;
  mtu: number;
  channel: LinkChannel;
  /** Whether anything gets through now. */
  isReached(): boolean;
  path(): PathSettings;
  onPathChange(listener: () => void): () => void;
  /** Gives a fragment to the product; a throw refuses it. */
  receive(fragment: Uint8Array): void;
  /** Called once, when the product has no client any more. */
  onEnd(): void;
}

export function openDirectLink(options: DirectLinkOptions): { link: DirectLink; radioLink: RadioLink } {
  const { clock, address, isReached } = options;
  const closed = deferred<void>();
  const gone = new AbortController();
  const feed = createNotificationFeed();
  const turns = createSemaphore({ name: 'writes', permits: 1, waitingMax: Number.POSITIVE_INFINITY });
  let supervision: Timer | undefined;
  /** When the last notification under way arrives: none overtakes another. */
  let lastArrivalMs = 0;
  /** Notifications under way, the oldest first. */
  const underWay: Uint8Array[] = [];
  let isFinishing = false;

  function end(): void {
    if (gone.signal.aborted) return;
    gone.abort(new RadioError(2, `The connection to ${address} is gone`));
    supervision?.cancel();
    stopWatching();
    options.onEnd();
    closed.resolve();
  }
  const stopWatching = options.onPathChange(() => {
    supervision?.cancel();
    if (!isReached()) supervision = clock.setTimer(SUPERVISION_TIMEOUT_MS, end);
  });

  const link: DirectLink = {
    central: options.central,
    channel: options.channel,
    notify(fragment) {
      if (!isReached()) return;
      const nowMs = clock.monotonic();
      lastArrivalMs = Math.max(lastArrivalMs, nowMs + travelMs(options));
      underWay.push(fragment);
      clock.setTimer(lastArrivalMs - nowMs, () => {
        const arrived = underWay.shift();
        if (arrived !== undefined) feed.push(arrived);
        if (isFinishing && underWay.length === 0) end();
      });
    },
    finish() {
      isFinishing = true;
      if (underWay.length === 0) end();
    },
    end,
  };
  const radioLink: RadioLink = {
    mtu: options.mtu,
    closed: closed.promise,
    write: (fragment) => turns.run('', () => writeOnce(options, { fragment, signal: gone.signal, end }), gone.signal),
    onNotification: feed.onNotification,
    async close() {
      end();
    },
  };
  return { link, radioLink };
}

/** @param write.end ends the link, which is done when the product does not confirm in time */
function writeOnce(
  options: DirectLinkOptions,
  { fragment, signal, end }: { fragment: Uint8Array; signal: AbortSignal; end: () => void },
): Promise<void> {
  const { clock, address, isReached } = options;
  return waitFor<void>({
    clock,
    timeoutMs: options.writeTimeoutMs,
    timedOut() {
      end();
      return new RadioError(3, `${address} did not confirm a write`);
    },
    signals: [signal],
    listen(done) {
      const attempt = clock.setTimer(travelMs(options), () => {
        if (isReached() && isAccepted(options, fragment)) done();
      });
      return () => attempt.cancel();
    },
  });
}

/** Returns how long a packet is under way, including the repeats of lost ones. */
function travelMs({ path, random }: DirectLinkOptions): number {
  const { loss, latencyMs } = path();
  let repeats = 0;
  while (repeats < REPEATS_MAX && random() < loss) repeats += 1;
  return latencyMs + repeats * CONNECTION_INTERVAL_MS;
}

/** A refused write is not confirmed, as with noble. */
function isAccepted({ receive }: DirectLinkOptions, fragment: Uint8Array): boolean {
  try {
    receive(fragment.slice());
    return true;
  } catch {
    return false;
  }
}
