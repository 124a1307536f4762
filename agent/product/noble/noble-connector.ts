import type { Clock } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { Deferred } from '../../waiting/deferred.js';
import { createListeners } from '../../waiting/listeners.js';
import { waitFor } from '../../waiting/wait-for.js';
import { cancelConnect, type ConnectionContext, connectPeripheral, type NobleConnection } from './noble-connection.js';
import { createHandleCache, type HandleCache } from './handle-cache.js';
import { openProductService } from './noble-gatt.js';
import { createNobleLink } from './noble-link.js';
import type { NobleLife } from './noble-lives.js';
import type { NobleScanner } from './noble-scanner.js';
import { type LinkChannel, RadioError, type RadioLink } from '../radio.js';
import { errorText } from '../../../shared/error-text.js';

export interface NobleConnectorOptions {
  clock: Clock;
  scanner: NobleScanner;
  writeTimeoutMs: number;
  /** Called when the adapter did not confirm what it must confirm. */
  onStuck: (what: string) => void;
  /** Called when the adapter did not confirm the end of the connection to this address. */
  onLeak: (address: string) => void;
  /** Called when a job waits because the adapter has no connection left. @param usedBy the connected addresses, the oldest first */
  onSlotWanted: (usedBy: readonly string[]) => void;
}

export interface ConnectJob {
  address: string;
  channel: LinkChannel;
  /** On the monotonic clock. */
  deadlineMs: number;
  /** How long the job may wait for a connection of the adapter, from the first time that there was none. */
  slotWithinMs: number;
  signals: readonly AbortSignal[];
  result: Deferred<RadioLink>;
}

/** Makes connections one at a time, because noble cannot make two at once. While it finds the service of one product, it connects to the next. */
export interface NobleConnector {
  /**
   * Settles the job's `result` as Radio.connect says. The returned promise settles, or rejects as well, when noble can make the next
   * connection, which may be earlier.
   */
  connect(life: NobleLife | undefined, job: ConnectJob): Promise<void>;
  /** Whether there is a connection to this address, or one is being made. */
  isUsed(address: string): boolean;
  /** Whether there is any connection; one that is being made does not count. */
  readonly hasConnections: boolean;
  /** Ends all links. */
  close(): Promise<void>;
}

/** HCI: connection limit exceeded, and rejected for limited resources. */
const WITHOUT_SLOT = /\(0x(9|d)\)/;

function isWithoutSlot(error: unknown): boolean {
  return error instanceof RadioError && WITHOUT_SLOT.test(errorText(error));
}

/** HCI: connection failed to be established: the first packets were lost, or the product did not advertise at that moment. It is made again. */
const NOT_ESTABLISHED = /\(0x3e\)/;
const RETRY_PAUSE_MS = 100;

type AttemptEnd = 'served' | 'no slot' | 'not established';

function isNotEstablished(error: unknown): boolean {
  return error instanceof RadioError && NOT_ESTABLISHED.test(errorText(error));
}

export function createNobleConnector(options: NobleConnectorOptions): NobleConnector {
  const { clock, scanner } = options;
  const handles = createHandleCache();
  const connections = createConnections(options);
  let making: string | null = null;
  const remainingMs = (job: ConnectJob) => job.deadlineMs - clock.monotonic();

  const attempt = async (context: ConnectionContext, job: ConnectJob): Promise<AttemptEnd> => {
    const { result, signals, address } = job;
    let connection: NobleConnection;
    try {
      connection = await connectPeripheral(context, { timeoutMs: remainingMs(job), signals });
    } catch (error) {
      if (connections.count() > 0 && isWithoutSlot(error)) return 'no slot';
      if (isNotEstablished(error) && remainingMs(job) > RETRY_PAUSE_MS) return 'not established';
      // The caller does not wait until the adapter is tidy again.
      result.reject(error);
      await cancelConnect(context);
      return 'served';
    }
    connections.add(address, connection);
    void openLink({ options, handles, life: context.life }, connection, job).then(result.resolve, (error: unknown) => {
      result.reject(error);
      return connection.close();
    });
    return 'served';
  };
  const attemptInPause = async (context: ConnectionContext, job: ConnectJob) => {
    const ended: { end: AttemptEnd } = { end: 'served' };
    await scanner.pausedFor(context.life, async () => {
      ended.end = await attempt(context, job);
    });
    return ended.end;
  };

  return {
    async connect(life, job) {
      if (life === undefined) throw new RadioError(GATEWAY_ERROR.BLUETOOTH, 'The Bluetooth radio is unavailable');
      const { address } = job;
      const signals = [...job.signals, life.signal];
      const peripheral = await scanner.find(address, { timeoutMs: remainingMs(job), signals });
      await connections.noneTo(address);
      making = address;
      let slotUntilMs: number | undefined;
      try {
        for (;;) {
          const end = await attemptInPause(
            { life, peripheral, clock, onStuck: options.onStuck, onLeak: options.onLeak },
            job,
          );
          if (end === 'served') break;
          if (end === 'no slot') {
            options.onSlotWanted(connections.addresses());
            slotUntilMs ??= clock.monotonic() + job.slotWithinMs;
            await connections.oneEnded({ deadlineMs: Math.min(job.deadlineMs, slotUntilMs), signals });
          } else await pause(clock, Math.min(RETRY_PAUSE_MS, remainingMs(job)), signals);
        }
      } finally {
        making = null;
      }
    },
    isUsed: (address) => address === making || connections.has(address),
    get hasConnections() {
      return connections.count() > 0;
    },
    close: connections.close,
  };
}

/** The connections that the adapter has, by address. */
function createConnections({ clock, scanner }: Pick<NobleConnectorOptions, 'clock' | 'scanner'>) {
  const connections = new Map<string, NobleConnection>();
  const ended = createListeners<void>();
  return {
    count: () => connections.size,
    has: (address: string) => connections.has(address),
    /** The oldest first. */
    addresses: () => [...connections.keys()],
    add(address: string, connection: NobleConnection): void {
      connections.set(address, connection);
      scanner.linked();
      void connection.closed.then(() => {
        scanner.linked();
        connections.delete(address);
        ended.notify();
      });
    },
    /** Waits for the end of a connection that is closing. Rejects when there is an open one. */
    async noneTo(address: string): Promise<void> {
      const open = connections.get(address);
      if (open?.isClosing === false)
        throw new RadioError(GATEWAY_ERROR.BLUETOOTH, `A connection to ${address} is open already`);
      await open?.closed;
    },
    /** Waits until any connection ends. Rejects when none does before the deadline, on the monotonic clock. */
    oneEnded: ({ deadlineMs, signals }: { deadlineMs: number; signals: readonly AbortSignal[] }) =>
      waitFor<void>({
        clock,
        timeoutMs: Math.max(0, deadlineMs - clock.monotonic()),
        timedOut: () => new RadioError(GATEWAY_ERROR.BLUETOOTH, 'The adapter had no connection left'),
        signals,
        listen: (done) => ended.add(done),
      }),
    async close(): Promise<void> {
      await Promise.all([...connections.values()].map((connection) => connection.close()));
    },
  };
}

/** Finds the product's service over a connection that stands. */
async function openLink(
  { options, handles, life }: { options: NobleConnectorOptions; handles: HandleCache; life: NobleLife },
  connection: NobleConnection,
  { address, channel, deadlineMs, signals }: ConnectJob,
): Promise<RadioLink> {
  const { clock } = options;
  const timeoutMs = deadlineMs - clock.monotonic();
  const how = { noble: life.noble, connection, clock, signals, channel, handles };
  const service = await openProductService(how, timeoutMs);
  let isAnswered = false;
  const onFirstNotification = () => {
    isAnswered = true;
  };
  // Handles that never led to an answer may belong to another firmware.
  void connection.closed.then(() => isAnswered || handles.forget(address));
  return createNobleLink({ connection, service, clock, writeTimeoutMs: options.writeTimeoutMs, onFirstNotification });
}

/** Resolves after `delayMs`. Rejects with the reason of a signal that is aborted first. */
function pause(clock: Clock, delayMs: number, signals: readonly AbortSignal[]): Promise<void> {
  return waitFor<void>({
    clock,
    signals,
    listen(done) {
      const timer = clock.setTimer(delayMs, () => done());
      return () => timer.cancel();
    },
  });
}
