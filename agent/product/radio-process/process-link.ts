import type { Clock } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import { deferred } from '../../waiting/deferred.js';
import { createNotificationFeed } from '../notification-feed.js';
import { RadioError, type RadioLink } from '../radio.js';
import type { RadioProcessRun } from './radio-process-run.js';
import { waitFor } from '../../waiting/wait-for.js';

export interface ProcessLinkOptions {
  /** The id of the connect that made it. */
  id: number;
  mtu: number;
  run: RadioProcessRun;
  clock: Clock;
  /** How long the process may take to end the connection. */
  closeTimeoutMs: number;
  write: (fragment: Uint8Array) => Promise<void>;
}

/** The port's link over a connection that the radio process holds. */
export interface ProcessLink {
  readonly link: RadioLink;
  /** Delivers a notification of the product. */
  notify(fragment: Uint8Array): void;
  /** Notes that the connection is gone, as the process says or because the process itself is. */
  gone(): void;
}

export function createProcessLink(options: ProcessLinkOptions): ProcessLink {
  const { id, mtu, run, clock, closeTimeoutMs } = options;
  const closed = deferred<void>();
  const feed = createNotificationFeed();
  let isGone = false;
  let closing: Promise<void> | undefined;

  const gone = () => {
    isGone = true;
    closed.resolve();
  };

  const end = async () => {
    run.send({ type: 'close', link: id });
    const hasClosed = waitFor<void>({
      clock,
      timeoutMs: closeTimeoutMs,
      // It ends with the process, too.
      signals: [],
      listen: (resolve) => {
        void closed.promise.then(resolve);
        return () => {};
      },
    });
    await hasClosed.catch(() => run.kill('it did not end a connection'));
  };
  return {
    notify: feed.push,
    gone,
    link: {
      mtu,
      closed: closed.promise,
      async write(fragment) {
        if (isGone) throw new RadioError(GATEWAY_ERROR.DISCONNECTED, 'The connection is gone');
        try {
          await options.write(fragment);
        } catch (error) {
          if (error !== run.signal.reason) throw error;
          throw new RadioError(GATEWAY_ERROR.DISCONNECTED, 'The connection is gone with the radio process', {
            cause: error,
          });
        }
      },
      onNotification: feed.onNotification,
      close() {
        if (!isGone) closing ??= end();
        return closing ?? closed.promise;
      },
    },
  };
}
