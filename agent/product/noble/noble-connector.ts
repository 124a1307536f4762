import type { Clock } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { Deferred } from '../../waiting/deferred.js';
import { createListeners } from '../../waiting/listeners.js';
import { waitFor } from '../../waiting/wait-for.js';
import { cancelConnect, type ConnectionContext, connectPeripheral, type NobleConnection } from './noble-connection.js';
import { createHandleCache } from './handle-cache.js';
import { openProductService } from './noble-gatt.js';
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
  /** Called when the adapter did not confirm the end of the connection to this address. */
  onLeak: (address: string) => void;
  /** Called when a job waits because the adapter has no connection left, with the addresses that have one, the oldest first. */
  onSlotWanted: (takenBy: readonly string[]) => void;
}

export interface ConnectJob {
  address: string;
  channel: LinkChannel;
  /** On the monotonic clock. */
  deadlineMs: number;
  /** How long it may wait while the adapter has no connection left, from when it was told so first. */
  slotWithinMs: number;
  signals: readonly AbortSignal[];
  result: Deferred<RadioLink>;
}

/** Makes connections one at a time, because noble cannot make two at once. While a product's service is found, the next one is made. */
export interface NobleConnector {
  /**
   * Settles the job's `result` as Radio.connect says. The returned promise settles, or rejects as well, when noble can make the next
   * connection, which may be earlier.
   */
  connect(life: NobleLife | undefined, job: ConnectJob): Promise<void>;
  /** Whether there is a connection to this address, or one is being made. */
  isUsed(address: string): boolean;
  /** Whether there is one at all; one that is being made does not count. */
  readonly hasConnections: boolean;
  /** Ends all links. */
  close(): Promise<void>;
}

/** HCI: connection limit exceeded, and rejected for limited resources. */
const WITHOUT_SLOT = /\(0x(9|d)\)/;

function isWithoutSlot(error: unknown): boolean {
  return error instanceof RadioError && WITHOUT_SLOT.test(error.message);
}

/** HCI: connection failed to be established: the first packets were lost, or the product did not advertise at that moment. It is made again. */
const NOT_ESTABLISHED = /\(0x3e\)/;
const RETRY_PAUSE_MS = 100;

type AttemptEnd = 'served' | 'no slot' | 'not established';

function isNotEstablished(error: unknown): boolean {
  return error instanceof RadioError && NOT_ESTABLISHED.test(error.message);
}

export function createNobleConnector(options: NobleConnectorOptions): NobleConnector {
  const { clock, scanner } = options;
  const handles = createHandleCache();
  const connections = new Map<string, NobleConnection>();
  const ended = createListeners<void>();
  let making: string | null = null;
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
    void connection.closed.then(() => isAnswered || handles.forget(job.address));
    return createNobleLink({ ...options, connection, service, onFirstNotification });
  };
  const serveInPause = async (context: ConnectionContext, job: ConnectJob) => {
    const attempt: { end: AttemptEnd } = { end: 'served' };
    await scanner.pausedFor(context.life, async () => {
      attempt.end = await serveJob(context, job);
    });
    return attempt.end;
  };
  /** Rejects when none becomes free in time. */
  const slotFreed = (job: ConnectJob, untilMs: number, signals: readonly AbortSignal[]) =>
    waitFor<void>({
      clock,
      timeoutMs: Math.max(0, Math.min(remainingMs(job), untilMs - clock.monotonic())),
      timedOut: () => new RadioError(GATEWAY_ERROR.BLUETOOTH, 'The adapter had no connection left'),
      signals,
      listen: (done) => ended.add(done),
    });
  const pauseBefore = (job: ConnectJob, signals: readonly AbortSignal[]) =>
    waitFor<void>({
      clock,
      signals,
      listen(done) {
        const timer = clock.setTimer(Math.min(RETRY_PAUSE_MS, remainingMs(job)), () => done());
        return () => timer.cancel();
      },
    });
  const serveJob = async (context: ConnectionContext, job: ConnectJob): Promise<AttemptEnd> => {
    const { result, signals, address } = job;
    let connection: NobleConnection;
    try {
      connection = await connectPeripheral(context, { timeoutMs: remainingMs(job), signals });
    } catch (error) {
      if (connections.size > 0 && isWithoutSlot(error)) return 'no slot';
      if (isNotEstablished(error) && remainingMs(job) > RETRY_PAUSE_MS) return 'not established';
      // The caller does not wait until the adapter is tidy again.
      result.reject(error);
      await cancelConnect(context);
      return 'served';
    }
    connections.set(address, connection);
    scanner.linked();
    void connection.closed.then(() => {
      scanner.linked();
      connections.delete(address);
      ended.notify();
    });
    void openLink(context.life, connection, job).then(result.resolve, (error: unknown) => {
      result.reject(error);
      return connection.close();
    });
    return 'served';
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
      making = address;
      let slotUntilMs: number | undefined;
      try {
        for (;;) {
          const end = await serveInPause({ ...options, life, peripheral }, job);
          if (end === 'served') break;
          if (end === 'no slot') {
            options.onSlotWanted([...connections.keys()]);
            slotUntilMs ??= clock.monotonic() + job.slotWithinMs;
            await slotFreed(job, slotUntilMs, signals);
          } else await pauseBefore(job, signals);
        }
      } finally {
        making = null;
      }
    },
    isUsed: (address) => address === making || connections.has(address),
    get hasConnections() {
      return connections.size > 0;
    },
    async close() {
      await Promise.all([...connections.values()].map((connection) => connection.close()));
    },
  };
}
