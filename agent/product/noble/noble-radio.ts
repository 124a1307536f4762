import { type Clock, every } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { Logger } from '../../../shared/logger.js';
import { deferred } from '../../waiting/deferred.js';
import { createBeaconEar } from './beacon-ear.js';
import { createLinkSlots } from './link-slots.js';
import { createNobleConnector, type NobleConnector } from './noble-connector.js';
import { keepNoble, type NobleAdapter, type NobleLife } from './noble-lives.js';
import { createNobleScanner, type NobleScanner } from './noble-scanner.js';
import { type ConnectOptions, type Radio, RadioError, type RadioLink } from '../radio.js';
import { createRadioListeners } from '../radio-listeners.js';
import {
  LADDER_EXPECTING,
  LADDER_START,
  type LadderEffect,
  type LadderInput,
  type LadderState,
  nextLadder,
} from './radio-ladder-machine.js';
import type { OwnRecoveryStep } from '../radio-health.js';
import { createSharedAbort } from '../../waiting/shared-abort.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';

export interface NobleRadioLimits {
  /** An unchanged advertisement is reported again only after this long: a product sends ten a second. */
  repeatMs: number;
  /** The same for a beacon, which may stay as it is for days. */
  beaconRepeatMs: number;
  /** A scan that hears no product for this long is suspect. While none was ever heard, it is checked less and less often. */
  silenceMs: number;
  writeTimeoutMs: number;
}

/** Where no product was ever heard, it is scanned again after 1, 2, 4 ... up to 32 times the silence. */
const UNTRIED_ROUNDS_MAX = 5;

export const NOBLE_RADIO_LIMITS: NobleRadioLimits = {
  repeatMs: 1_000,
  beaconRepeatMs: 5_000,
  silenceMs: 60_000,
  writeTimeoutMs: 5_000,
};

export interface NobleRadioOptions extends NobleAdapter {
  /** Called when neither another scan nor a reset has helped, so that this process should be restarted. */
  onRestartNeeded: (reason: string) => void;
  /** Called when the radio takes back a leaked connection, scans again, or resets the adapter. */
  onRecovery: (step: OwnRecoveryStep, reason: string) => void;
  /** Whether products were heard here before, so that silence is a fault from the beginning. */
  expectsProducts: boolean;
  limits: NobleRadioLimits;
}

export interface NobleConnectOptions extends ConnectOptions {
  /** Called once, when the next connection can be made: perhaps before this one's service is found. */
  onTurnOver?: () => void;
}

export interface NobleRadio extends Radio {
  connect(address: string, options: NobleConnectOptions): Promise<RadioLink>;
}

/**
 * The radio over noble, in this process. It scans as long as it is on, also with open connections, but not while it connects, because
 * adapters refuse to do both. The time of a `connect` begins with its turn. A connect to a product that was not heard yet waits for it.
 */
export function createNobleRadio(options: NobleRadioOptions): NobleRadio {
  const { clock, logger, onRecovery, limits } = options;
  // Every waiting connect listens to this signal.
  const closing = createSharedAbort();
  const listeners = createRadioListeners();
  let life: NobleLife | undefined;

  const climb = createLadder(options, { life: () => life, rescan: (present) => scanner.rescan(present) });
  const onStuck = (what: string) => climb({ type: 'stuck' }, what);
  const beaconEar = createBeaconEar({ clock, repeatMs: limits.beaconRepeatMs, onBeacon: listeners.beacons.notify });
  const scanner = createNobleScanner({
    clock,
    // noble reports an advertisement again by itself. This time only keeps the two halves of one advertisement together.
    repeatMs: limits.repeatMs / 2,
    onAdvertisement: listeners.advertisements.notify,
    onOther: beaconEar.hear,
  });
  const connector = createNobleConnector({
    clock,
    scanner,
    writeTimeoutMs: limits.writeTimeoutMs,
    onStuck,
    onLeak: (address) => slots.leaked(address),
    onSlotWanted: listeners.slotsWanted.notify,
  });
  const slots = createLinkSlots({
    clock,
    logger,
    life: () => life,
    isUsed: connector.isUsed,
    onLeak: (reason) => onRecovery('free', reason),
    onStuck,
  });
  const silence = watchSilence({ clock, logger, limits, life: () => life, connector, scanner, climb });
  const lives = keepNoble(options, {
    // A product that repeats itself must not be taken for silent.
    repeatMs: Math.min(limits.repeatMs, limits.silenceMs / 4),
    onLife(begun) {
      life = begun;
      scanner.begin(begun);
      begun.signal.addEventListener('abort', () => {
        life = undefined;
        listeners.states.notify('unavailable');
      });
      listeners.states.notify('on');
    },
    onDiscover: (of, peripheral) => scanner.hear(of, peripheral) && silence.broken(),
  });

  return {
    get state() {
      return life === undefined ? 'unavailable' : 'on';
    },
    ...listeners.port,
    wantBeacons: beaconEar.want,
    connect: createConnect({ clock, closing: closing.signal, life: () => life, connector }),
    async close() {
      closing.abort(new RadioError(GATEWAY_ERROR.BLUETOOTH, 'The radio is closed'));
      silence.close();
      slots.close();
      await connector.close();
      await lives.close();
    },
  };
}

/** Connects to one product after the other, the urgent ones first. */
function createConnect({
  clock,
  closing,
  life,
  connector,
}: {
  clock: Clock;
  closing: AbortSignal;
  life: () => NobleLife | undefined;
  connector: NobleConnector;
}): NobleRadio['connect'] {
  const turns = createSemaphore({ name: 'connections', permits: 1, waitingMax: Number.POSITIVE_INFINITY });
  return async function connect(address, { timeoutMs, signal, isUrgent = false, ...how }) {
    const { slotWithinMs = timeoutMs, channel = 'commands', onTurnOver = () => {} } = how;
    const signals = signal === undefined ? [closing] : [closing, signal];
    const endTurn = await turns.enter('', { rank: [isUrgent ? 0 : 1], signals });
    const result = deferred<RadioLink>();
    const job = { address, channel, deadlineMs: clock.monotonic() + timeoutMs, slotWithinMs, signals, result };
    void connector
      .connect(life(), job)
      .catch(result.reject)
      .finally(() => {
        endTurn();
        onTurnOver();
      });
    return result.promise;
  };
}

type Climb = (input: LadderInput, reason?: string) => LadderState;

/** Tells the ladder when no product was heard for too long. While no product was ever heard, it does so less and less often. */
function watchSilence({
  clock,
  logger,
  limits: { silenceMs },
  life,
  connector,
  scanner,
  climb,
}: {
  clock: Clock;
  logger: Logger;
  limits: NobleRadioLimits;
  life: () => NobleLife | undefined;
  connector: NobleConnector;
  scanner: NobleScanner;
  climb: Climb;
}) {
  /** How often it has scanned again where no product was ever heard. */
  let untriedRounds = 0;
  const watch = every({
    clock,
    periodMs: silenceMs / 2,
    work() {
      if (life() === undefined) return;
      // A connected product is not heard, and there may be no other. A product that is only being connected to may be out of reach.
      if (connector.hasConnections) {
        scanner.linked();
        return;
      }
      const suspectMs = silenceMs * 2 ** untriedRounds;
      if (clock.monotonic() - scanner.lastHeardMs < suspectMs) return;
      const isUntried = climb({ type: 'silent' }, `no product was heard for ${suspectMs} ms`).step === 'untried';
      if (isUntried) untriedRounds = Math.min(untriedRounds + 1, UNTRIED_ROUNDS_MAX);
    },
    onError: (error) => logger.error({ err: error }, 'the watch over the radio failed'),
  });
  return {
    /** A product was heard. */
    broken(): void {
      climb({ type: 'heard' });
      untriedRounds = 0;
    },
    close: () => watch.cancel(),
  };
}

/** Performs the steps of the ladder, and reports each. */
function createLadder(
  { logger, expectsProducts, onRestartNeeded, onRecovery }: NobleRadioOptions,
  { life, rescan }: { life: () => NobleLife | undefined; rescan: (life: NobleLife) => void },
): Climb {
  let state = expectsProducts ? LADDER_EXPECTING : LADDER_START;
  const perform = (step: LadderEffect, reason: string) => {
    if (step === 'restart') return onRestartNeeded(reason);
    const present = life();
    if (present === undefined) return;
    onRecovery(step, reason);
    if (step === 'rescan') rescan(present);
    else void present.reset(reason);
  };
  return (input, reason = '') => {
    const next = nextLadder(state, input);
    state = next.state;
    for (const step of next.effects) {
      logger.warn({ step, reason }, 'the Bluetooth adapter is in trouble');
      perform(step, reason);
    }
    return state;
  };
}
