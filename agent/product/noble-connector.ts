import type { Clock } from '../../shared/clock.js';
import type { Deferred } from './deferred.js';
import { cancelConnect, type ConnectionContext, connectPeripheral, type NobleConnection } from './noble-connection.js';
import { openProductService, type ProductHandles } from './noble-gatt.js';
import { createNobleLink } from './noble-link.js';
import type { NobleLife } from './noble-lives.js';
import type { NobleScanner } from './noble-scanner.js';
import { type LinkChannel, RadioError, type RadioLink } from './radio.js';

export interface NobleConnectorOptions {
  clock: Clock;
  scanner: NobleScanner;
  writeTimeoutMs: number;
  /** The adapter did not confirm what it must confirm. */
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

/** Makes links, one at a time: noble makes no two at once. */
export interface NobleConnector {
  /** Settles the job's `result` as Radio.connect says; itself settles, or rejects for it, when noble can take the next. */
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
    // Handles that never brought an answer may be those of another firmware.
    void connection.closed.then(() => isAnswered || handles.delete(job.address));
    return createNobleLink({ ...options, connection, service, onFirstNotification });
  };
  const makeLink = async (context: ConnectionContext, job: ConnectJob) => {
    const { result, signals, address } = job;
    let connection: NobleConnection;
    try {
      connection = await connectPeripheral(context, { timeoutMs: remainingMs(job), signals });
    } catch (error) {
      // Whoever asked does not wait until the adapter is tidy again.
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
      if (life === undefined) throw new RadioError(3, 'The Bluetooth radio is unavailable');
      const { address } = job;
      const signals = [...job.signals, life.signal];
      const peripheral = await scanner.find(address, { timeoutMs: remainingMs(job), signals });
      const open = connections.get(address);
      if (open?.isClosing === false) throw new RadioError(3, `A connection to ${address} is open already`);
      await open?.closed;
      await scanner.pausedFor(life, () => makeLink({ ...options, life, peripheral }, job));
    },
    async close() {
      await Promise.all([...connections.values()].map((connection) => connection.close()));
    },
  };
}
