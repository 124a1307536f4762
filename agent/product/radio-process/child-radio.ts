import { backoffDelayMs, type BackoffLimits } from '../../../shared/backoff.js';
import { type Clock, sleep, type Timer } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { Logger } from '../../../shared/logger.js';
import { deferred } from '../../waiting/deferred.js';
import type { HciChoice } from '../hci/hci-choice.js';
import type { WantedBeacons } from '../../sensor/beacons.js';
import { type Radio, RadioError, type RadioLink, type RadioState } from '../radio.js';
import { createRadioListeners } from '../radio-listeners.js';
import type { RecoveryStep } from '../radio-health.js';
import type { FromRadioProcess } from './radio-messages.js';
import { createRadioProcessClient, type RadioProcessClient } from './radio-process-client.js';
import { type RadioProcessRun, startRadioProcess } from './radio-process-run.js';
import { createSharedAbort } from '../../waiting/shared-abort.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import { errorText } from '../../../shared/error-text.js';

/** How soon the radio process is started again. */
const RESTART: BackoffLimits = { baseMs: 500, maxMs: 60_000 };
/** A process whose radio was on for this long has started well. */
const STABLE_MS = 5_000;
/** After so many bad starts in a row, the adapter's power is switched off and on: nothing else is left to try. */
const POWER_AFTER_BAD_STARTS = 3;

export interface ChildRadioLimits {
  writeTimeoutMs: number;
  /** How long no product may be heard before the first step of the ladder. It doubles with each restart that heard none. */
  silenceMs: number;
  /** How much later than its own limit the process may answer before it counts as hung and is ended. */
  graceMs: number;
}

export const CHILD_RADIO_LIMITS: ChildRadioLimits = { writeTimeoutMs: 5_000, graceMs: 3_000, silenceMs: 60_000 };
/** The longest silence is this many times the shortest. */
const SILENCE_FACTOR_MAX = 32;
/** To connect to a product in range takes no longer than this. A connect that takes longer gives way to an urgent one. */
const GIVES_WAY_AFTER_MS = 500;

export interface ChildRadioOptions {
  hci: HciChoice;
  clock: Clock;
  logger: Logger;
  /** A number in [0, 1), for the time before a restart. */
  random: () => number;
  /** Called with each step of the ladder, and its cause. */
  onRecovery: (step: RecoveryStep, reason: string) => void;
  /** Called with the number of connections that the adapter has, each time it changes. */
  onLinks: (count: number) => void;
  /** Switches the adapter off and on; resolves to why that was not possible, or to null. null: its power cannot be switched. */
  cyclePower: (() => Promise<string | null>) | null;
}

/** A run of the radio process and what is known of it. */
interface Run {
  process: RadioProcessRun;
  client: RadioProcessClient;
  onSinceMs: number | undefined;
  hasHeard: boolean;
}

/**
 * Runs the radio in a process of its own (radio-process), with a time limit for every request. A process is replaced when it ends,
 * hangs, or says that neither another scan nor a reset has helped; meanwhile the radio is `unavailable`.
 * The time of a `connect` begins with its turn. A connect to a product that was not heard yet waits for it.
 */
export function createChildRadio(options: ChildRadioOptions, limits: ChildRadioLimits = CHILD_RADIO_LIMITS): Radio {
  const { clock, onRecovery, onLinks, cyclePower } = options;
  // Every waiting connect listens to this signal.
  const closing = createSharedAbort();
  const listeners = createRadioListeners();
  let wanted: readonly WantedBeacons[] = [];
  let state: RadioState = 'unavailable';
  /** Whether a product was heard since the gateway started. */
  let hasEverHeard = false;

  const setState = (next: RadioState) => {
    if (state === next) return;
    state = next;
    listeners.states.notify(next);
  };
  const receive = (from: Run, message: FromRadioProcess) => {
    if (message.type === 'advertisements') {
      from.hasHeard = true;
      hasEverHeard = true;
      for (const advertisement of message.advertisements) listeners.advertisements.notify(advertisement);
    } else if (message.type === 'beacon') listeners.beacons.notify(message.beacon);
    else if (message.type === 'slot-wanted') listeners.slotsWanted.notify(message.usedBy);
    else if (message.type === 'links') onLinks(message.count);
    else if (message.type === 'restart-me') from.process.kill(message.reason);
    else if (message.type === 'recovery') onRecovery(message.step, message.reason);
    else if (message.type === 'log') options.logger[message.level](message.fields, message.message);
    else if (message.type === 'state') {
      if (message.state === 'on') from.onSinceMs ??= clock.monotonic();
      setState(message.state);
    } else from.client.receive(message);
  };
  const start = (badStarts: number, resetsFirst: boolean): Run => {
    const begun = startRun(options, limits, { badStarts, resetsFirst, expectsProducts: hasEverHeard, receive });
    begun.process.signal.addEventListener('abort', () => {
      onLinks(0);
      setState('unavailable');
    });
    if (wanted.length > 0) begun.process.send({ type: 'want-beacons', wanted });
    return begun;
  };
  let run = start(0, false);
  const supervising = superviseRuns({
    clock,
    logger: options.logger,
    random: options.random,
    closing: closing.signal,
    current: () => run,
    onRecovery,
    cyclePower,
    expectsProducts: () => hasEverHeard,
    restart: (badStarts) => (run = start(badStarts, true)),
  });

  return {
    get state() {
      return state;
    },
    ...listeners.port,
    wantBeacons(next) {
      wanted = next;
      run.process.send({ type: 'want-beacons', wanted });
    },
    connect: createConnect({ clock, closing: closing.signal, isOn: () => state === 'on', client: () => run.client }),
    async close() {
      closing.abort(new RadioError(GATEWAY_ERROR.BLUETOOTH, 'The radio is closed'));
      await run.process.stop();
      await supervising;
    },
  };
}

/**
 * Starts the radio process.
 * @param how.badStarts how many starts before this one did not go well: the process waits longer for a product
 * @param how.receive called with each message of the process until its end
 */
function startRun(
  { hci, clock, logger }: ChildRadioOptions,
  limits: ChildRadioLimits,
  how: {
    badStarts: number;
    resetsFirst: boolean;
    expectsProducts: boolean;
    receive: (from: Run, message: FromRadioProcess) => void;
  },
): Run {
  const process = startRadioProcess({
    hci,
    clock,
    logger,
    writeTimeoutMs: limits.writeTimeoutMs,
    silenceMs: limits.silenceMs * Math.min(2 ** how.badStarts, SILENCE_FACTOR_MAX),
    expectsProducts: how.expectsProducts,
    resetsFirst: how.resetsFirst,
    onMessage: (message) => process.signal.aborted || how.receive(run, message),
  });
  const client = createRadioProcessClient({
    run: process,
    clock,
    writeTimeoutMs: limits.writeTimeoutMs,
    graceMs: limits.graceMs,
  });
  const run: Run = { process, client, onSinceMs: undefined, hasHeard: false };
  return run;
}

/**
 * Connects to one product after the other. A connect that takes long gives way to an urgent one. It continues in its next turn, with the
 * time that it has left.
 */
function createConnect({
  clock,
  closing,
  isOn,
  client,
}: {
  clock: Clock;
  closing: AbortSignal;
  isOn: () => boolean;
  client: () => RadioProcessClient;
}): Radio['connect'] {
  const turns = createSemaphore({ name: 'connections', permits: 1, waitingMax: Number.POSITIVE_INFINITY });
  let urgentWaiting = 0;
  /** Asks who has the turn to give way to somebody urgent; null: nobody has it, or who has it is urgent too. */
  let askForWay: (() => void) | null = null;

  /** @param isFirst it gave way before */
  async function urgentFirst(signals: readonly AbortSignal[], isUrgent: boolean, isFirst: boolean) {
    if (isUrgent) askForWay?.();
    urgentWaiting += Number(isUrgent);
    const rank = [isUrgent ? 0 : 1, isFirst ? 0 : 1];
    return turns.enter('', { rank, signals }).finally(() => (urgentWaiting -= Number(isUrgent)));
  }

  return async function connect(address, { timeoutMs, signal, channel = 'commands', isUrgent = false, slotWithinMs }) {
    const signals = signal === undefined ? [closing] : [closing, signal];
    for (let leftMs = timeoutMs; ; ) {
      const leave = await urgentFirst(signals, isUrgent, leftMs < timeoutMs);
      if (!isOn()) {
        leave();
        throw new RadioError(GATEWAY_ERROR.BLUETOOTH, 'The Bluetooth radio is unavailable');
      }
      const startedMs = clock.monotonic();
      const wayGiven = new AbortController();
      let giving: Timer | undefined;
      const giveWay = () => {
        giving ??= clock.setTimer(Math.max(0, startedMs + GIVES_WAY_AFTER_MS - clock.monotonic()), () =>
          wayGiven.abort(new Error('something urgent came')),
        );
      };
      askForWay = isUrgent ? null : giveWay;
      if (urgentWaiting > 0) askForWay?.();
      const result = deferred<RadioLink>();
      const request = {
        address,
        timeoutMs: leftMs,
        slotWithinMs: slotWithinMs ?? leftMs,
        channel,
        signals: [...signals, wayGiven.signal],
        result,
      };
      void client()
        .connect(request)
        .finally(() => {
          giving?.cancel();
          askForWay = null;
          leave();
        });
      try {
        return await result.promise;
      } catch (error) {
        if (error !== wayGiven.signal.reason) throw error;
        leftMs -= clock.monotonic() - startedMs;
      }
    }
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
  cyclePower: ChildRadioOptions['cyclePower'];
  expectsProducts: () => boolean;
  /** @param badStarts how many starts in a row did not go well */
  restart: (badStarts: number) => void;
}): Promise<void> {
  const { clock, logger, random, closing, current, onRecovery, cyclePower, restart } = options;
  for (let badStarts = 0; ; ) {
    const { process, onSinceMs, hasHeard } = await ended(current());
    if (closing.aborted) return;
    // A process that never heard the products of this place was of no use, however long it ran.
    const isOfUse = hasHeard || !options.expectsProducts();
    const wasStable = isOfUse && onSinceMs !== undefined && clock.monotonic() - onSinceMs >= STABLE_MS;
    badStarts = wasStable ? 0 : badStarts + 1;
    const delayMs = backoffDelayMs(RESTART, badStarts, random());
    const reason = errorText(process.signal.reason);
    logger.warn({ reason, delayMs }, 'the radio process is started again');
    await sleep(clock, delayMs, closing).catch(() => {});
    if (closing.aborted) return;
    let powerProblem: string | null = null;
    if (cyclePower !== null && badStarts > 0 && badStarts % POWER_AFTER_BAD_STARTS === 0) {
      powerProblem = await cyclePower();
      if (powerProblem === null) {
        logger.warn({ step: 'power', reason }, 'the Bluetooth adapter was switched off and on');
        onRecovery('power', reason);
      } else {
        const problem = powerProblem;
        logger.error({ step: 'power', reason, problem }, 'the Bluetooth adapter could not be switched off and on');
      }
    }
    onRecovery(
      'restart',
      powerProblem === null ? reason : `${reason}; its power could not be switched: ${powerProblem}`,
    );
    restart(badStarts);
  }
}

async function ended(run: Run): Promise<Run> {
  await run.process.exited;
  return run;
}
