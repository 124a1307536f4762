import { type Clock, every } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import { deferred } from './deferred.js';
import type { HciChoice, HciInProcess } from './hci/hci-choice.js';
import { createListeners } from './listeners.js';
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
} from './radio.js';
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

/**
 * The radio over noble, in this process. It scans for as long as it is on, open connections or not, but not while it connects:
 * adapters refuse to do both. The time of a `connect` runs from its turn on; a product that was not heard yet is waited for.
 */
export function createNobleRadio(options: NobleRadioOptions): Radio {
  const { clock, logger, onRestartNeeded } = options;
  const limits = { ...LIMITS, ...options.limits };
  const closing = new AbortController();
  const states = createListeners<RadioState>();
  const advertisements = createListeners<Advertisement>();
  const turns = createTurns(clock);
  let life: NobleLife | undefined;

  const climb = createLadder(logger, {
    rescan: () => life && scanner.rescan(life),
    reset: (reason) => void life?.reset(reason),
    restart: (reason) => (onRestartNeeded === undefined ? life?.end(reason) : onRestartNeeded(reason)),
  });
  const scanner = createNobleScanner({ clock, repeatMs: limits.repeatMs, onAdvertisement: advertisements.tell });
  const onStuck = (what: string) => climb({ type: 'stuck' }, what);
  const connector = createNobleConnector({ clock, scanner, writeTimeoutMs: limits.writeTimeoutMs, onStuck });
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
  const connect = async (
    address: string,
    { timeoutMs, channel = 'commands' }: ConnectOptions,
    signals: readonly AbortSignal[],
  ) => {
    const endTurn = await turns.take(signals);
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
      closing.abort(new RadioError(3, 'The radio is closed'));
      silenceWatch.cancel();
      await connector.close();
      await lives.close();
    },
  };
}

/** Takes the steps of the ladder, and reports each. */
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
