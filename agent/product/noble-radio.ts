import { type Clock, every } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import { type Deferred, deferred } from './deferred.js';
import type { HciChoice, HciInProcess } from './hci/hci-choice.js';
import { createListeners } from './listeners.js';
import { cancelConnect, type ConnectionContext, connectPeripheral, type NobleConnection } from './noble-connection.js';
import { openProductService, type ProductHandles } from './noble-gatt.js';
import { createNobleLink } from './noble-link.js';
import { keepNoble, type NobleLife } from './noble-lives.js';
import { createNobleScanner } from './noble-scanner.js';
import { type Advertisement, type Radio, RadioError, type RadioLink, type RadioState } from './radio.js';
import { LADDER_START, type LadderEffect, type LadderInput, nextLadder } from './radio-ladder-machine.js';
import { createTurns } from './turns.js';

export interface NobleRadioLimits {
  /** An unchanged advertisement is told again only after this long: a product sends ten a second. */
  repeatMs: number;
  /** A scan that brings nothing for so long is suspect. */
  silenceMs: number;
  writeTimeoutMs: number;
}

const LIMITS: NobleRadioLimits = { repeatMs: 1_000, silenceMs: 60_000, writeTimeoutMs: 5_000 };

export interface NobleRadioOptions {
  hci: HciChoice | HciInProcess;
  clock: Clock;
  logger: Logger;
  /** A number in [0, 1), for the time between two looks for a missing adapter. */
  random: () => number;
  /** Neither scanning anew nor a reset has helped: this process should be restarted. Without it the ladder begins anew. */
  onRestartNeeded?: (reason: string) => void;
  limits?: Partial<NobleRadioLimits>;
}

interface ConnectJob {
  address: string;
  deadlineMs: number;
  signals: readonly AbortSignal[];
  result: Deferred<RadioLink>;
}

/**
 * The radio over noble, in this process. It scans for as long as it is on, open connections or not, but not while it connects:
 * adapters refuse to do both. The time of a `connect` runs from its turn on; a product that was not heard yet is waited for.
 */
export function createNobleRadio(options: NobleRadioOptions): Radio {
  const { clock, logger } = options;
  const limits = { ...LIMITS, ...options.limits };
  const closing = new AbortController();
  const states = createListeners<RadioState>();
  const advertisements = createListeners<Advertisement>();
  const handles = new Map<string, ProductHandles>();
  const connections = new Map<string, NobleConnection>();
  const turns = createTurns(clock);
  const scanner = createNobleScanner({ clock, repeatMs: limits.repeatMs, onAdvertisement: advertisements.tell });
  let life: NobleLife | undefined;
  let ladder = LADDER_START;

  const takeStep: Record<LadderEffect, (reason: string) => void> = {
    rescan: () => life && scanner.rescan(life),
    reset: (reason) => void life?.reset(reason),
    restart: (reason) => (options.onRestartNeeded === undefined ? life?.end(reason) : options.onRestartNeeded(reason)),
  };
  const climb = (input: LadderInput, reason = '') => {
    const { state, effects } = nextLadder(ladder, input);
    ladder = state;
    for (const step of effects) {
      logger.warn({ step, reason }, `The Bluetooth adapter is in trouble (${reason}): ${step}`);
      takeStep[step](reason);
    }
  };

  const lives = keepNoble({
    ...options,
    onLife(begun) {
      life = begun;
      scanner.begin(begun);
      begun.signal.addEventListener('abort', () => {
        life = undefined;
        states.tell('unavailable');
      });
      states.tell('on');
    },
    onDiscover(of, peripheral) {
      climb({ type: 'heard' });
      scanner.hear(of, peripheral);
    },
  });
  const silenceWatch = every({
    clock,
    periodMs: limits.silenceMs / 2,
    work() {
      if (life === undefined || clock.monotonic() - scanner.lastHeardMs < limits.silenceMs) return;
      climb({ type: 'silent' }, `nothing heard for ${limits.silenceMs} ms`);
    },
    onError: (error) => logger.error({ error }, 'The watch over the radio failed'),
  });

  const makeLink = async (context: ConnectionContext, job: ConnectJob) => {
    const { peripheral } = context;
    const { signals, deadlineMs, result } = job;
    let connection: NobleConnection;
    try {
      connection = await connectPeripheral(context, { timeoutMs: deadlineMs - clock.monotonic(), signals });
    } catch (error) {
      // Whoever asked does not wait until the adapter is tidy again.
      result.reject(error);
      await cancelConnect(context);
      return;
    }
    connections.set(peripheral.id, connection);
    void connection.closed.then(() => connections.delete(peripheral.id));
    try {
      const { noble } = context.life;
      const timeoutMs = deadlineMs - clock.monotonic();
      const service = await openProductService({ noble, connection, clock, timeoutMs, signals, handles });
      let isAnswered = false;
      const onFirstNotification = () => {
        isAnswered = true;
      };
      // Handles that never brought an answer may be those of another firmware.
      void connection.closed.then(() => isAnswered || handles.delete(peripheral.id));
      const { writeTimeoutMs } = limits;
      result.resolve(createNobleLink({ connection, service, clock, writeTimeoutMs, onFirstNotification }));
    } catch (error) {
      result.reject(error);
      await connection.close();
    }
  };
  const onStuck = (what: string) => climb({ type: 'stuck' }, what);
  const serve = async (job: ConnectJob) => {
    const present = life;
    if (present === undefined) throw new RadioError(3, 'The Bluetooth radio is unavailable');
    const timeoutMs = job.deadlineMs - clock.monotonic();
    const peripheral = await scanner.find(job.address, { timeoutMs, signals: [...job.signals, present.signal] });
    const open = connections.get(job.address);
    if (open?.isClosing === false) throw new RadioError(3, `A connection to ${job.address} is open already`);
    await open?.closed;
    await scanner.pausedFor(present, () => makeLink({ life: present, peripheral, clock, onStuck }, job));
  };

  return {
    get state() {
      return life === undefined ? 'unavailable' : 'on';
    },
    onStateChange: states.add,
    onAdvertisement: advertisements.add,
    async connect(address, { timeoutMs, signal }) {
      const signals = signal === undefined ? [closing.signal] : [closing.signal, signal];
      const endTurn = await turns.take(signals);
      const result = deferred<RadioLink>();
      void serve({ address, deadlineMs: clock.monotonic() + timeoutMs, signals, result })
        .catch(result.reject)
        .finally(endTurn);
      return result.promise;
    },
    async close() {
      closing.abort(new RadioError(3, 'The radio is closed'));
      silenceWatch.cancel();
      await Promise.all([...connections.values()].map((connection) => connection.close()));
      await lives.close();
    },
  };
}
