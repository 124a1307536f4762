import { backoffDelayMs, type BackoffLimits } from '../../../shared/backoff.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { Logger } from '../../../shared/logger.js';
import { deferred } from '../../waiting/deferred.js';
import type { HciChoice } from '../hci/hci-choice.js';
import { createListeners } from '../../waiting/listeners.js';
import { type Advertisement, type Radio, RadioError, type RadioLink, type RadioState } from '../radio.js';
import type { RecoveryStep } from '../radio-health.js';
import type { FromRadioProcess } from './radio-messages.js';
import { createRadioProcessClient, type RadioProcessClient } from './radio-process-client.js';
import { type RadioProcessRun, startRadioProcess } from './radio-process-run.js';
import { createTurns } from '../../waiting/turns.js';

/** How soon the radio process is started again. */
const RESTART: BackoffLimits = { baseMs: 500, maxMs: 60_000 };
/** A process whose radio was on for this long has started well. */
const STABLE_MS = 5_000;
/** After so many starts in a row that did not go well, only the power of the adapter is left to try. */
const POWER_AFTER_BAD_STARTS = 3;

export interface ChildRadioLimits {
  writeTimeoutMs: number;
  /** How much later than its own limit the process may answer before it counts as hung and is ended. */
  graceMs: number;
}

const LIMITS: ChildRadioLimits = { writeTimeoutMs: 5_000, graceMs: 3_000 };

export interface ChildRadioOptions {
  hci: HciChoice;
  clock: Clock;
  logger: Logger;
  /** A number in [0, 1), for the time before a restart. */
  random: () => number;
  /** Called with each step of the ladder, and its cause. */
  onRecovery?: (step: RecoveryStep, reason: string) => void;
  /** Switches the adapter off and on; resolves to whether that was possible. Left out: it cannot be. */
  cyclePower?: () => Promise<boolean>;
  limits?: Partial<ChildRadioLimits>;
}

/** A run of the radio process and what is known of it. */
interface Run {
  process: RadioProcessRun;
  client: RadioProcessClient;
  onSinceMs: number | undefined;
}

/**
 * Runs the radio in a process of its own (radio-process), with a time limit for every request. A process is replaced when it ends,
 * hangs, or says that neither another scan nor a reset has helped; meanwhile the radio is `unavailable`.
 * The time of a `connect` begins with its turn; the radio waits for a product that was not heard yet.
 */
export function createChildRadio(options: ChildRadioOptions): Radio {
  const { clock, onRecovery = () => {}, cyclePower = async () => false } = options;
  const limits = { ...LIMITS, ...options.limits };
  const closing = new AbortController();
  const states = createListeners<RadioState>();
  const advertisements = createListeners<Advertisement>();
  const turns = createTurns(clock);
  let state: RadioState = 'unavailable';

  const setState = (next: RadioState) => {
    if (state === next) return;
    state = next;
    states.notify(next);
  };
  const start = (): Run => {
    const process = startRadioProcess({
      ...options,
      writeTimeoutMs: limits.writeTimeoutMs,
      onMessage: (said) => receive(said),
    });
    const run: Run = {
      process,
      client: createRadioProcessClient({ run: process, clock, ...limits }),
      onSinceMs: undefined,
    };
    const receive = (message: FromRadioProcess) => {
      if (process.signal.aborted) return;
      if (message.type === 'advertisement') advertisements.notify(message.advertisement);
      else if (message.type === 'restart-me') process.kill(message.reason);
      else if (message.type === 'recovery') onRecovery(message.step, message.reason);
      else if (message.type === 'log') options.logger[message.level](message.fields, message.message);
      else if (message.type === 'state') {
        if (message.state === 'on') run.onSinceMs ??= clock.monotonic();
        setState(message.state);
      } else run.client.receive(message);
    };
    process.signal.addEventListener('abort', () => setState('unavailable'));
    return run;
  };
  let run = start();
  const supervising = superviseRuns({
    ...options,
    closing: closing.signal,
    current: () => run,
    onRecovery,
    cyclePower,
    restart() {
      run = start();
    },
  });

  return {
    get state() {
      return state;
    },
    onStateChange: states.add,
    onAdvertisement: advertisements.add,
    async connect(address, { timeoutMs, signal, channel = 'commands' }) {
      const signals = signal === undefined ? [closing.signal] : [closing.signal, signal];
      const endTurn = await turns.enter(signals);
      if (state !== 'on') {
        endTurn();
        throw new RadioError(GATEWAY_ERROR.BLUETOOTH, 'The Bluetooth radio is unavailable');
      }
      const result = deferred<RadioLink>();
      void run.client.connect({ address, timeoutMs, channel, signals, result }).finally(endTurn);
      return result.promise;
    },
    async close() {
      closing.abort(new RadioError(GATEWAY_ERROR.BLUETOOTH, 'The radio is closed'));
      await run.process.stop();
      await supervising;
    },
  };
}

/** Replaces each run that ends, until it is closed. */
async function superviseRuns(options: {
  clock: Clock;
  logger: Logger;
  random: () => number;
  closing: AbortSignal;
  current: () => Run;
  onRecovery: (step: RecoveryStep, reason: string) => void;
  cyclePower: () => Promise<boolean>;
  restart: () => void;
}): Promise<void> {
  const { clock, logger, random, closing, current, onRecovery, cyclePower, restart } = options;
  for (let badStarts = 0; ; ) {
    const { process, onSinceMs } = await ended(current());
    if (closing.aborted) return;
    const wasStable = onSinceMs !== undefined && clock.monotonic() - onSinceMs >= STABLE_MS;
    badStarts = wasStable ? 0 : badStarts + 1;
    const delayMs = backoffDelayMs(RESTART, badStarts, random());
    const reason = (process.signal.reason as RadioError).message;
    logger.warn({ reason, delayMs }, `The radio process is started again in ${delayMs} ms: ${reason}`);
    await sleep(clock, delayMs, closing).catch(() => {});
    if (closing.aborted) return;
    const hasCycled = badStarts > 0 && badStarts % POWER_AFTER_BAD_STARTS === 0 && (await cyclePower());
    if (hasCycled) {
      logger.warn({ step: 'power', reason }, 'The Bluetooth adapter was switched off and on');
      onRecovery('power', reason);
    }
    onRecovery('restart', reason);
    restart();
  }
}

async function ended(run: Run): Promise<Run> {
  await run.process.exited;
  return run;
}
