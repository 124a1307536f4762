import { type Clock, every } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { Logger } from '../../../shared/logger.js';
import { deferred } from '../../waiting/deferred.js';
import type { HciChoice, HciInProcess } from '../hci/hci-choice.js';
import { createListeners } from '../../waiting/listeners.js';
import { createBeaconEar } from './beacon-ear.js';
import { createLinkSlots } from './link-slots.js';
import { createNobleConnector } from './noble-connector.js';
import { keepNoble, type NobleLife } from './noble-lives.js';
import type { Beacon } from '../../sensor/beacons.js';
import { createNobleScanner } from './noble-scanner.js';
import {
  type Advertisement,
  type ConnectOptions,
  type Radio,
  RadioError,
  type RadioLink,
  type RadioState,
} from '../radio.js';
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
import { createTurns } from '../../waiting/turns.js';

export interface NobleRadioLimits {
  /** An unchanged advertisement is reported again only after this long: a product sends ten a second. */
  repeatMs: number;
  /** The same for a beacon, which may stay as it is for days. */
  beaconRepeatMs: number;
  /** A scan that brings no product for this long is suspect. Where none was ever heard it is looked at less and less often. */
  silenceMs: number;
  writeTimeoutMs: number;
}

/** Where no product was ever heard, it is scanned again after 1, 2, 4 ... up to 32 times the silence. */
const UNTRIED_ROUNDS_MAX = 5;

const LIMITS: NobleRadioLimits = { repeatMs: 1_000, beaconRepeatMs: 5_000, silenceMs: 60_000, writeTimeoutMs: 5_000 };

export interface NobleRadioOptions {
  hci: HciChoice | HciInProcess;
  clock: Clock;
  logger: Logger;
  /** A number in [0, 1), for the time between two looks for a missing adapter. */
  random: () => number;
  /** Called when neither another scan nor a reset has helped and this process should be restarted. Without it the ladder begins again. */
  onRestartNeeded?: (reason: string) => void;
  /** Called when it takes a leaked connection back, scans again, or resets the adapter, because something is wrong. */
  onRecovery?: (step: OwnRecoveryStep, reason: string) => void;
  /** Called with the number of connections that the adapter has, each time it changes. */
  onLinks?: (count: number) => void;
  /** Products were heard here before: silence is a fault from the beginning. */
  expectsProducts?: boolean;
  /** The adapter may have connections of an earlier process: it is reset before it is used. */
  resetsFirst?: boolean;
  limits?: Partial<NobleRadioLimits>;
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
 * adapters refuse to do both. The time of a `connect` begins with its turn; the radio waits for a product that was not heard yet.
 */
export function createNobleRadio(options: NobleRadioOptions): NobleRadio {
  const { clock, logger, onRestartNeeded, onRecovery = () => {} } = options;
  const limits = { ...LIMITS, ...options.limits };
  // Each connect that waits listens to it.
  const closing = createSharedAbort();
  const states = createListeners<RadioState>();
  const advertisements = createListeners<Advertisement>();
  const beacons = createListeners<Beacon>();
  const slotsWanted = createListeners<readonly string[]>();
  const turns = createTurns(clock);
  let life: NobleLife | undefined;
  /** How often it has scanned again where no product was ever heard. */
  let untriedRounds = 0;

  const climb = createLadder(logger, options.expectsProducts === true ? LADDER_EXPECTING : LADDER_START, {
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
  const beaconEar = createBeaconEar({ clock, repeatMs: limits.beaconRepeatMs, onBeacon: beacons.notify });
  const scanner = createNobleScanner({
    clock,
    // What noble sees again is told again: here only the two halves of one advertisement are told apart from that.
    repeatMs: limits.repeatMs / 2,
    onAdvertisement: advertisements.notify,
    onOther: beaconEar.hear,
  });
  const onStuck = (what: string) => climb({ type: 'stuck' }, what);
  const connector = createNobleConnector({
    clock,
    scanner,
    writeTimeoutMs: limits.writeTimeoutMs,
    onStuck,
    onLeak: (address) => slots.leaked(address),
    onSlotWanted: slotsWanted.notify,
  });
  const slots = createLinkSlots({
    clock,
    logger,
    life: () => life,
    isUsed: connector.isUsed,
    onLeak(reason) {
      logger.warn({ step: 'free', reason }, `A connection slot of the Bluetooth adapter is taken back: ${reason}`);
      onRecovery('free', reason);
    },
    onStuck,
  });
  const lives = keepNoble({
    ...options,
    // A product that repeats itself must not be taken for silent.
    repeatMs: Math.min(limits.repeatMs, limits.silenceMs / 4),
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
      if (!scanner.hear(of, peripheral)) return;
      climb({ type: 'heard' });
      untriedRounds = 0;
    },
  });
  const silenceWatch = every({
    clock,
    periodMs: limits.silenceMs / 2,
    work() {
      if (life === undefined) return;
      // A product that is connected to is not heard, and there may be no other. One that is only being connected to may be out of reach.
      if (connector.hasConnections) {
        scanner.linked();
        return;
      }
      const suspectMs = limits.silenceMs * 2 ** untriedRounds;
      if (clock.monotonic() - scanner.lastHeardMs < suspectMs) return;
      const isUntried = climb({ type: 'silent' }, `no product was heard for ${suspectMs} ms`).step === 'untried';
      if (isUntried) untriedRounds = Math.min(untriedRounds + 1, UNTRIED_ROUNDS_MAX);
    },
    onError: (error) => logger.error({ err: error }, 'The watch over the radio failed'),
  });
  const connect = async (
    address: string,
    {
      timeoutMs,
      slotWithinMs = timeoutMs,
      channel = 'commands',
      isUrgent = false,
      onTurnOver = () => {},
    }: NobleConnectOptions,
    signals: readonly AbortSignal[],
  ) => {
    const endTurn = await turns.enter(signals, { isUrgent });
    const result = deferred<RadioLink>();
    const job = { address, channel, deadlineMs: clock.monotonic() + timeoutMs, slotWithinMs, signals, result };
    void connector
      .connect(life, job)
      .catch(result.reject)
      .finally(() => {
        endTurn();
        onTurnOver();
      });
    return result.promise;
  };

  return {
    get state() {
      return life === undefined ? 'unavailable' : 'on';
    },
    onStateChange: states.add,
    onAdvertisement: advertisements.add,
    onSlotWanted: slotsWanted.add,
    onBeacon: beacons.add,
    wantBeacons: (wanted) => beaconEar.want(wanted),
    connect: (address, how) =>
      connect(address, how, how.signal === undefined ? [closing.signal] : [closing.signal, how.signal]),
    async close() {
      closing.abort(new RadioError(GATEWAY_ERROR.BLUETOOTH, 'The radio is closed'));
      silenceWatch.cancel();
      slots.close();
      await connector.close();
      await lives.close();
    },
  };
}

/** Performs the steps of the ladder, and reports each. */
function createLadder(
  logger: Logger,
  start: LadderState,
  steps: Record<LadderEffect, (reason: string) => void>,
): (input: LadderInput, reason?: string) => LadderState {
  let state = start;
  return (input, reason = '') => {
    const next = nextLadder(state, input);
    state = next.state;
    for (const step of next.effects) {
      logger.warn({ step, reason }, `The Bluetooth adapter is in trouble (${reason}): ${step}`);
      steps[step](reason);
    }
    return state;
  };
}
