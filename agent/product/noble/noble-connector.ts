import type { Clock } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { Deferred } from '../../waiting/deferred.js';
import { cancelConnect, type ConnectionContext, connectPeripheral, type NobleConnection } from './noble-connection.js';
import { openProductService, type ProductHandles } from './noble-gatt.js';
import { createNobleLink } from './noble-link.js';
import type { NobleLife } from './noble-lives.js';
import type { NobleScanner } from './noble-scanner.js';
import { type LinkChannel, RadioError, type RadioLink } from '../radio.js';

export interface NobleConnectorOptions {
  clock: Clock;
  scanner: NobleScanner;
  writeTimeoutMs: number;
  /** Called when the adapter did not confirm what it must confirm. */
  onStuck: (what: string) => void;
}

export interface ConnectJob {
  address: string;
  channel: LinkChannel;
  /** On the monotonic clock. */
  deadlineMs: number;
  signals: readonly AbortSignal[];
  result: Deferred<RadioLink>;
}

/** Makes links, one at a time, because noble cannot make two at once. */
export interface NobleConnector {
  /** Settles the job's `result` as Radio.connect says. The returned promise settles, or rejects as well, when noble can make the next link. */
  connect(life: NobleLife | undefined, job: ConnectJob): Promise<void>;
  /** Ends all links. */
  close(): Promise<void>;
}

export function createNobleConnector(options: NobleConnectorOptions): NobleConnector {
  const { clock, scanner } = options;
  const handles = new Map<string, ProductHandles>();
  const connections = new Map<string, NobleConnection>();
  const remainingMs = (job: ConnectJob) => job.deadlineMs - clock.monotonic();

  const openLink = async (life: NobleLife, connection: NobleConnection, job: ConnectJob) => {
    const { noble } = life;
    const { signals } = job;
    const service = await openProductService({
      noble,
      connection,
      clock,
      timeoutMs: remainingMs(job),
      signals,
      channel: job.channel,
      handles,
    });
    let isAnswered = false;
    const onFirstNotification = () => {
      isAnswered = true;
    };
    // Handles that never led to an answer may belong to another firmware.
    void connection.closed.then(() => isAnswered || handles.delete(job.address));
    return createNobleLink({ ...options, connection, service, onFirstNotification });
  };
  const serveJob = async (context: ConnectionContext, job: ConnectJob) => {
    const { result, signals, address } = job;
    let connection: NobleConnection;
    try {
      connection = await connectPeripheral(context, { timeoutMs: remainingMs(job), signals });
    } catch (error) {
      // The caller does not wait until the adapter is tidy again.
      result.reject(error);
      await cancelConnect(context);
      return;
    }
    connections.set(address, connection);
    void connection.closed.then(() => connections.delete(address));
    try {
      result.resolve(await openLink(context.life, connection, job));
    } catch (error) {
      result.reject(error);
      await connection.close();
    }
  };

  return {
    async connect(life, job) {
      if (life === undefined) throw new RadioError(GATEWAY_ERROR.BLUETOOTH, 'The Bluetooth radio is unavailable');
      const { address } = job;
      const signals = [...job.signals, life.signal];
      const peripheral = await scanner.find(address, { timeoutMs: remainingMs(job), signals });
      const open = connections.get(address);
      if (open?.isClosing === false)
        throw new RadioError(GATEWAY_ERROR.BLUETOOTH, `A connection to ${address} is open already`);
      await open?.closed;
      await scanner.pausedFor(life, () => serveJob({ ...options, life, peripheral }, job));
    },
    async close() {
      await Promise.all([...connections.values()].map((connection) => connection.close()));
    },
  };
}
