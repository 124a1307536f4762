import type { Clock } from '../../shared/clock.js';
import type { NobleConnection } from './noble-connection.js';
import type { ProductService } from './noble-gatt.js';
import { RadioError, type RadioLink } from './radio.js';
import { createTurns } from './turns.js';
import { waitFor } from './wait-for.js';

const ATT_MTU_MIN = 23;

export interface NobleLinkOptions {
  connection: NobleConnection;
  service: ProductService;
  clock: Clock;
  writeTimeoutMs: number;
  /** The first notification has come: the handles in use are right. */
  onFirstNotification: () => void;
}

/** The port's link over a connection whose service is open. */
export function createNobleLink(options: NobleLinkOptions): RadioLink {
  const { connection, service, clock, writeTimeoutMs } = options;
  const { peripheral } = connection;
  const { rx, tx, feed } = service;
  const turns = createTurns(clock);
  tx.once('data', options.onFirstNotification);
  void connection.closed.then(() => tx.removeAllListeners());

  return {
    mtu: Math.max(ATT_MTU_MIN, peripheral.mtu ?? ATT_MTU_MIN),
    closed: connection.closed,
    async write(fragment) {
      const endTurn = await turns.take([connection.signal]);
      try {
        await waitFor<void>({
          clock,
          timeoutMs: writeTimeoutMs,
          timedOut: () => {
            // noble's 'write' names no write: a late one would be taken for the next. And a refused write never settles in noble.
            void connection.close();
            return new RadioError(3, `${peripheral.id} did not confirm a write within ${writeTimeoutMs} ms`);
          },
          signals: [connection.signal],
          listen(done) {
            const onWritten = () => done();
            rx.once('write', onWritten);
            rx.write(Buffer.from(fragment.buffer, fragment.byteOffset, fragment.byteLength), false);
            return () => rx.removeListener('write', onWritten);
          },
        });
      } finally {
        endTurn();
      }
    },
    onNotification: feed.onNotification,
    close: () => connection.close(),
  };
}
