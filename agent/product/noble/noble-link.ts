import type { Clock } from '../../../shared/clock.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { NobleConnection } from './noble-connection.js';
import type { ProductService } from './noble-gatt.js';
import { RadioError, type RadioLink } from '../radio.js';
import { waitFor } from '../../waiting/wait-for.js';

const ATT_MTU_MIN = 23;

export interface NobleLinkOptions {
  connection: NobleConnection;
  service: ProductService;
  clock: Clock;
  writeTimeoutMs: number;
  /** Called at the first notification, which proves that the handles in use are right. */
  onFirstNotification: () => void;
}

/** Creates the port's link over a connection whose service is open. */
export function createNobleLink(options: NobleLinkOptions): RadioLink {
  const { connection, service, clock, writeTimeoutMs } = options;
  const { peripheral } = connection;
  const { rx, tx, feed } = service;
  const turns = createSemaphore({ name: 'writes', permits: 1, waitingMax: Number.POSITIVE_INFINITY });
  tx.once('data', options.onFirstNotification);
  void connection.closed.then(() => tx.removeAllListeners());

  return {
    mtu: Math.max(ATT_MTU_MIN, peripheral.mtu ?? ATT_MTU_MIN),
    closed: connection.closed,
    write(fragment) {
      const writeNow = () =>
        waitFor<void>({
          clock,
          timeoutMs: writeTimeoutMs,
          timedOut: () => {
            // noble's 'write' does not say which write it confirms, so a late one would confirm the next. noble never settles a refused write.
            void connection.close();
            return new RadioError(
              GATEWAY_ERROR.BLUETOOTH,
              `${peripheral.id} did not confirm a write within ${writeTimeoutMs} ms`,
            );
          },
          signals: [connection.signal],
          listen(done) {
            const onWritten = () => done();
            rx.once('write', onWritten);
            rx.write(Buffer.from(fragment.buffer, fragment.byteOffset, fragment.byteLength), false);
            return () => rx.removeListener('write', onWritten);
          },
        });
      return turns.run('', writeNow, connection.signal);
    },
    onNotification: feed.onNotification,
    close: () => connection.close(),
  };
}
