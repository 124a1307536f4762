import { backoffDelayMs, type BackoffLimits } from '../../../shared/backoff.js';
import { type Clock, sleep, type Timer } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { Logger } from '../../../shared/logger.js';
import { type HciChoice, type HciInProcess, openHci } from '../hci/hci-choice.js';
import { buildNoble, type Noble, type NobleInstance, type NoblePeripheral } from './noble-library.js';
import { RadioError } from '../radio.js';
import { createRepeatFilter } from './repeated-advertisements.js';
import { createSharedAbort } from '../../waiting/shared-abort.js';
import { waitFor } from '../../waiting/wait-for.js';
import { errorText } from '../../../shared/error-text.js';

/** How soon the gateway looks again for an adapter that is missing or has failed. */
const RETRY: BackoffLimits = { baseMs: 1_000, maxMs: 10_000 };
const RESET_TIMEOUT_MS = 2_000;
/** noble asks an adapter that comes up only once; when the question is lost, noble waits for the answer for ever. */
const START_TIMEOUT_MS = 5_000;

/** Hints for people about the states of the adapter in which noble cannot work. */
const HINTS: Record<string, string> = {
  poweredOff: 'power the adapter: rfkill unblock bluetooth, hciconfig hci0 up',
  unauthorized: 'the program needs the capabilities CAP_NET_RAW and CAP_NET_ADMIN',
  unsupported: 'the adapter is older than Bluetooth 4.0: use another one',
};

/** Says what is missing when no controller can be opened, and how to mend it. */
const MISSING = {
  adapter: { what: 'no Bluetooth adapter', hint: 'fit an adapter, or set BLE_HCI' },
  emulated: { what: 'no emulated radio', hint: 'start the simulator that listens there, or set BLE_HCI' },
};

/** One noble, from the moment its adapter is on until the adapter is off. After that its peripherals and connections are dead. */
export interface NobleLife {
  readonly noble: Noble;
  /** Aborted, with a RadioError of type 3, when the life is over. */
  readonly signal: AbortSignal;
  forget(keep: (peripheralId: string) => boolean): void;
  /** The connections that the adapter reports: the product's address by the connection's handle. */
  links(): ReadonlyMap<number, string>;
  /** Tells the adapter to end one of its connections. */
  endLink(handle: number): void;
  /** Resets the adapter, if it answers, and then ends the life. */
  reset(reason: string): Promise<void>;
  end(reason: string): void;
}

/** The adapter, and the listener to its state. */
export interface NobleAdapter {
  hci: HciChoice | HciInProcess;
  clock: Clock;
  logger: Logger;
  /** A number in [0, 1), for the time between two looks for a missing adapter. */
  random: () => number;
  /** Called with the number of connections that the adapter has, each time it changes. */
  onLinks: (count: number) => void;
  /** Whether the adapter is reset first, because it may have connections of an earlier process. */
  resetsFirst: boolean;
}

export interface NobleListener {
  /** An advertisement that repeats its sender's last one after less than this time may be left out. */
  repeatMs: number;
  onLife(life: NobleLife): void;
  onDiscover(life: NobleLife, peripheral: NoblePeripheral): void;
}

export interface NobleLives {
  /** Ends the present life and begins no other. Idempotent. */
  close(): Promise<void>;
}

/**
 * Keeps one noble running on the adapter. noble does not survive its adapter: a connection that was being made when the power failed
 * is "pending" for ever, and all later ones queue behind it. So a new noble is built each time the adapter comes back.
 */
export function keepNoble(options: NobleAdapter, listener: NobleListener): NobleLives {
  const { clock, logger, random } = options;
  const closing = new AbortController();
  let lastWarning = '';
  /** Logs a fault once and not at each attempt. */
  const warnOnce: WarnOnce = (fields, message) => {
    const warning = `${message}: ${fields.reason}`;
    if (lastWarning === warning) return;
    lastWarning = warning;
    logger.warn({ ...fields }, message);
  };

  const run = async () => {
    let mustReset = options.resetsFirst;
    for (let failures = 0; !closing.signal.aborted; ) {
      const begunMs = clock.monotonic();
      let wasOn = false;
      try {
        const isReset = mustReset;
        const onOn = () => {
          wasOn = true;
          mustReset = false;
        };
        const reason = await live(options, listener, { closing: closing.signal, warnOnce, onOn, resetsFirst: isReset });
        if (wasOn && !isReset)
          warnOnce({ reason, hint: 'nothing to do, unless it repeats' }, 'the radio is set up anew');
      } catch (error) {
        if (closing.signal.aborted) break;
        const reason = errorText(error);
        const { what, hint } = MISSING[options.hci.kind === 'adapter' ? 'adapter' : 'emulated'];
        warnOnce({ reason, hint, err: error }, `${what}, the radio is unavailable`);
      }
      if (wasOn || clock.monotonic() - begunMs >= START_TIMEOUT_MS) failures = 0;
      else await sleep(clock, backoffDelayMs(RETRY, failures++, random()), closing.signal).catch(() => {});
      if (wasOn) lastWarning = '';
    }
  };
  const running = run();
  return {
    async close() {
      closing.abort(new RadioError(GATEWAY_ERROR.BLUETOOTH, 'The radio is closed'));
      await running;
    },
  };
}

type WarnOnce = (fields: { reason: string; hint: string; err?: unknown }, message: string) => void;

interface Attempt {
  closing: AbortSignal;
  warnOnce: WarnOnce;
  onOn: () => void;
  resetsFirst: boolean;
}

/** Runs one noble until it ends; resolves to the reason. Rejects when there is no adapter. */
async function live(options: NobleAdapter, listener: NobleListener, attempt: Attempt): Promise<string> {
  const { hci, clock } = options;
  const { closing, warnOnce } = attempt;
  const transport = await openHci(hci);
  // Every connection of the adapter listens to this signal.
  const over = createSharedAbort();
  const end = (reason: string) => over.abort(new RadioError(GATEWAY_ERROR.BLUETOOTH, reason));
  let instance: NobleInstance | undefined;
  let startTimer: Timer | undefined;
  try {
    const deviceId = hci.kind === 'adapter' ? hci.index : undefined;
    instance = buildNoble({
      transport,
      deviceId,
      isWanted: createRepeatFilter({ clock, repeatMs: listener.repeatMs }),
    });
    const life = createLife({ instance, clock, over: over.signal, end });
    const { noble } = instance;
    instance.onLinks(options.onLinks);
    let isOn = false;
    noble.on('stateChange', (state: string) => {
      if (state === 'poweredOn' && !isOn) {
        isOn = true;
        attempt.onOn();
        if (attempt.resetsFirst) void life.reset('the adapter was reset because of an earlier process');
        else listener.onLife(life);
      } else if (isOn) end(`the adapter is ${state}`);
      else
        warnOnce(
          { reason: state, hint: HINTS[state] ?? 'look at the adapter' },
          'the Bluetooth adapter is not on, the radio is unavailable',
        );
    });
    noble.on('discover', (peripheral: NoblePeripheral) => listener.onDiscover(life, peripheral));
    noble.on('warning', (warning: string) => options.logger.debug({ warning }, 'noble warns'));
    void transport?.closed.then(() => end('the emulated radio has gone'));
    startTimer = clock.setTimer(START_TIMEOUT_MS, () => isOn || end('the adapter does not come on'));
    instance.start();
    return await waitFor<string>({
      clock,
      signals: [closing],
      listen: (done) => {
        const onOver = () => done(errorText(over.signal.reason));
        if (over.signal.aborted) onOver();
        over.signal.addEventListener('abort', onOver);
        return () => over.signal.removeEventListener('abort', onOver);
      },
    });
  } finally {
    startTimer?.cancel();
    if ((instance?.links().size ?? 0) > 0) options.onLinks(0);
    end('it is being closed');
    instance?.end();
    transport?.close();
  }
}

function createLife(options: {
  instance: NobleInstance;
  clock: Clock;
  over: AbortSignal;
  end: (reason: string) => void;
}): NobleLife {
  const { instance, clock, over, end } = options;
  return {
    noble: instance.noble,
    signal: over,
    forget: instance.forget,
    links: instance.links,
    endLink: instance.endLink,
    end,
    async reset(reason) {
      const answered = waitFor<void>({
        clock,
        timeoutMs: RESET_TIMEOUT_MS,
        signals: [over],
        listen: (done) => {
          const stop = instance.onceReset(done);
          instance.noble.reset();
          return stop;
        },
      });
      // An adapter that does not answer the reset is given up as well.
      await answered.catch(() => {});
      end(reason);
    },
  };
}
