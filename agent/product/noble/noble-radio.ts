import { type Clock, every } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { Logger } from '../../../shared/logger.js';
import { deferred } from '../../waiting/deferred.js';
import type { HciChoice, HciInProcess } from '../hci/hci-choice.js';
import { createListeners } from '../../waiting/listeners.js';
import { createNobleConnector } from './noble-connector.js';
import { keepNoble, type NobleLife } from './noble-lives.js';
import { createNobleScanner } from './noble-scanner.js';
import {
  type Advertisement,
  type ConnectOptions,
  type Radio,
  RadioError,
  type RadioLink,
  type RadioState,
} from '../radio.js';
import { LADDER_START, type LadderEffect, type LadderInput, nextLadder } from './radio-ladder-machine.js';
import type { OwnRecoveryStep } from '../radio-health.js';
import { createTurns } from '../../waiting/turns.js';

export interface NobleRadioLimits {
  /** An unchanged advertisement is reported again only after this long: a product sends ten a second. */
  repeatMs: number;
  /** A scan that brings nothing for this long is suspect. */
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
  /** Called when neither another scan nor a reset has helped and this process should be restarted. Without it the ladder begins again. */
  onRestartNeeded?: (reason: string) => void;
  /** Called when it scans again, or resets the adapter, because something is wrong. */
  onRecovery?: (step: OwnRecoveryStep, reason: string) => void;
  limits?: Partial<NobleRadioLimits>;
}

/**
 * The radio over noble, in this process. It scans as long as it is on, also with open connections, but not while it connects, because
 * adapters refuse to do both. The time of a `connect` begins with its turn; the radio waits for a product that was not heard yet.
 */
export function createNobleRadio(options: NobleRadioOptions): Radio {
  const { clock, logger, onRestartNeeded, onRecovery = () => {} } = options;
  const limits = { ...LIMITS, ...options.limits };
  const closing = new AbortController();
  const states = createListeners<RadioState>();
  const advertisements = createListeners<Advertisement>();
  const turns = createTurns(clock);
  let life: NobleLife | undefined;

  const climb = createLadder(logger, {
    rescan(reason) {
      if (life === undefined) return;
      onRecovery('rescan', reason);
      scanner.rescan(life);
    },
    reset(reason) {
      if (life === undefined) return;
      onRecovery('reset', reason);
      void life.reset(reason);
    },
    restart: (reason) => (onRestartNeeded === undefined ? life?.end(reason) : onRestartNeeded(reason)),
  });
  const scanner = createNobleScanner({ clock, repeatMs: limits.repeatMs, onAdvertisement: advertisements.notify });
  const onStuck = (what: string) => climb({ type: 'stuck' }, what);
  const connector = createNobleConnector({ clock, scanner, writeTimeoutMs: limits.writeTimeoutMs, onStuck });
  const lives = keepNoble({
    ...options,
    onLife(begun) {
      life = begun;
      scanner.begin(begun);
      begun.signal.addEventListener('abort', () => {
        life = undefined;
        states.notify('unavailable');
      });
      states.notify('on');
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
    onError: (error) => logger.error({ err: error }, 'The watch over the radio failed'),
  });
  const connect = async (
    address: string,
    { timeoutMs, channel = 'commands' }: ConnectOptions,
    signals: readonly AbortSignal[],
  ) => {
    const endTurn = await turns.enter(signals);
    const result = deferred<RadioLink>();
    const job = { address, channel, deadlineMs: clock.monotonic() + timeoutMs, signals, result };
    void connector.connect(life, job).catch(result.reject).finally(endTurn);
    return result.promise;
  };

  return {
    get state() {
      return life === undefined ? 'unavailable' : 'on';
    },
    onStateChange: states.add,
    onAdvertisement: advertisements.add,
    connect: (address, how) =>
      connect(address, how, how.signal === undefined ? [closing.signal] : [closing.signal, how.signal]),
    async close() {
      closing.abort(new RadioError(GATEWAY_ERROR.BLUETOOTH, 'The radio is closed'));
      silenceWatch.cancel();
      await connector.close();
      await lives.close();
    },
  };
}

/** Performs the steps of the ladder, and reports each. */
function createLadder(
  logger: Logger,
  steps: Record<LadderEffect, (reason: string) => void>,
): (input: LadderInput, reason?: string) => void {
  let state = LADDER_START;
  return (input, reason = '') => {
    const next = nextLadder(state, input);
    state = next.state;
    for (const step of next.effects) {
      logger.warn({ step, reason }, `The Bluetooth adapter is in trouble (${reason}): ${step}`);
      steps[step](reason);
    }
  };
}
