import type { Clock } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import { deferred } from '../../waiting/deferred.js';
import type { NobleLife } from './noble-lives.js';
import type { NoblePeripheral } from './noble-library.js';
import { RadioError } from '../radio.js';
import { waitFor } from '../../waiting/wait-for.js';
import { errorText } from '../../../shared/error-text.js';

/** An adapter confirms an end at once, or after the supervision timeout, which noble sets to 420 ms. */
const CONFIRM_TIMEOUT_MS = 2_000;

export interface ConnectionContext {
  life: NobleLife;
  peripheral: NoblePeripheral;
  clock: Clock;
  /** Called when the adapter did not confirm what it must confirm: noble and adapter no longer agree. */
  onStuck: (what: string) => void;
  /** Called when it did not confirm the end of the connection to this address, which may still take one of its slots. */
  onLeak: (address: string) => void;
}

/** A connection below GATT. */
export interface NobleConnection {
  readonly peripheral: NoblePeripheral;
  /** Settles when the connection is gone for any reason; never rejects. */
  readonly closed: Promise<void>;
  /** Aborted with a RadioError of type 2 when the connection is gone. In noble itself, calls on a lost connection wait for ever. */
  readonly signal: AbortSignal;
  /** Whether it was asked to end. */
  readonly isClosing: boolean;
  /** Ends it; settles when it is gone. Idempotent. */
  close(): Promise<void>;
}

/**
 * Connects. Rejects with RadioError 4 when the product does not answer in time, 3 when the adapter refuses, or a signal's reason.
 * After that `cleanUp` must be awaited before the next connect: noble makes one connection at a time and forgets none.
 */
export async function connectPeripheral(
  context: ConnectionContext,
  options: { timeoutMs: number; signals: readonly AbortSignal[] },
): Promise<NobleConnection> {
  const { life, peripheral, clock } = context;
  await waitFor<void>({
    clock,
    timeoutMs: options.timeoutMs,
    timedOut: () => new RadioError(GATEWAY_ERROR.NOT_FOUND, `Product ${peripheral.id} did not answer in time`),
    signals: [...options.signals, life.signal],
    listen(done, fail) {
      const onConnect = (error?: Error) => {
        if (error === undefined || error === null) done();
        else
          fail(
            new RadioError(
              GATEWAY_ERROR.BLUETOOTH,
              `The adapter refused to connect to ${peripheral.id}: ${errorText(error)}`,
              { cause: error },
            ),
          );
      };
      peripheral.once('connect', onConnect);
      peripheral.connect();
      return () => peripheral.removeListener('connect', onConnect);
    },
  });
  return createConnection(context);
}

/** Ends a connect that failed. Settles when noble has no connection to this peripheral and is making none. */
export async function cancelConnect(context: ConnectionContext): Promise<void> {
  const { life, peripheral, clock, onStuck } = context;
  if (life.signal.aborted || peripheral.state !== 'connecting') return;
  const outcome = await waitFor<'cancelled' | 'connected' | 'stuck'>({
    clock,
    timeoutMs: CONFIRM_TIMEOUT_MS,
    signals: [life.signal],
    listen(done) {
      // noble itself says "cancelled" at once. The adapter's answer comes later, and may say that the connection was made nevertheless.
      peripheral.cancelConnect();
      const onConnect = (error?: Error) => done(error === undefined || error === null ? 'connected' : 'cancelled');
      peripheral.once('connect', onConnect);
      return () => peripheral.removeListener('connect', onConnect);
    },
  }).catch(() => 'stuck' as const);
  if (outcome === 'connected') await createConnection(context).close();
  if (outcome === 'stuck' && !life.signal.aborted) onStuck(`a connect to ${peripheral.id} could not be cancelled`);
}

function createConnection(context: ConnectionContext): NobleConnection {
  const { life, peripheral, clock, onLeak } = context;
  const closed = deferred<void>();
  const gone = new AbortController();
  let closing: Promise<void> | undefined;

  const onGone = () => {
    if (gone.signal.aborted) return;
    peripheral.removeListener('disconnect', onGone);
    life.signal.removeEventListener('abort', onGone);
    gone.abort(new RadioError(GATEWAY_ERROR.DISCONNECTED, `The connection to ${peripheral.id} is gone`));
    closed.resolve();
  };
  peripheral.once('disconnect', onGone);
  life.signal.addEventListener('abort', onGone);
  if (life.signal.aborted) onGone();

  const disconnect = async () => {
    if (gone.signal.aborted) return;
    peripheral.disconnect();
    const confirmed = waitFor<void>({
      clock,
      timeoutMs: CONFIRM_TIMEOUT_MS,
      signals: [],
      listen: (resolve) => {
        void closed.promise.then(resolve);
        return () => {};
      },
    });
    await confirmed.catch(() => {
      onGone();
      // The connector has heard of the end of the connection first.
      queueMicrotask(() => onLeak(peripheral.id));
    });
  };
  return {
    peripheral,
    closed: closed.promise,
    signal: gone.signal,
    get isClosing() {
      return closing !== undefined;
    },
    close: () => (closing ??= disconnect()),
  };
}
