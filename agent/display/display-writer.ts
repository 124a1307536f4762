/**
 * Writes texts to displays, and notes the result: the text that is shown, why none is, and when the next attempt is
 * due.
 */
import { backoffDelayMs, type BackoffLimits } from '../../shared/backoff.js';
import type { Clock } from '../../shared/clock.js';
import { displaySettingsFault } from '../../shared/drivers/display-drivers.js';
import { errorText } from '../../shared/error-text.js';
import type { DisplayItem } from '../../shared/gateway-config.js';
import type { Logger } from '../../shared/logger.js';
import { type DisplayDriver, type DisplayDrivers, NotConfirmed } from './display.js';

const WRITE_TIMEOUT_MS = 5_000;
const RETRY: BackoffLimits = { baseMs: 1_000, maxMs: 30_000 };
/** The time limit of a test, in which a person stands in front of the display. */
const TEST_WITHIN_MS = 10_000;
/** How long a test text stays. */
const TEST_SHOWN_MS = 10_000;

/** The text that a display has to show. */
export interface WantedText {
  text: string;
  /** Whether the count is not known, so that this is the stale text. */
  is_stale: boolean;
}

export interface Display {
  item: DisplayItem;
  shown: (WantedText & { mono_ms: number }) | null;
  /** When the next attempt is due, on the monotonic clock; 0: at once. */
  next_mono_ms: number;
  failures: number;
  fault: string | null;
  /** Never rejects. */
  writing: Promise<void> | null;
  /** The text that is being written, unless it is a test. */
  pending: WantedText | null;
  /** Ends the write that is under way. */
  limit: AbortController;
}

export const newDisplay = (item: DisplayItem): Display => ({
  item,
  shown: null,
  next_mono_ms: 0,
  failures: 0,
  fault: null,
  writing: null,
  pending: null,
  limit: new AbortController(),
});

/** Ends a write because another text is to be shown, or none any more. That is no failure of the display. */
class Superseded extends Error {}

export interface DisplayWriterDeps {
  drivers: DisplayDrivers;
  clock: Clock;
  random(): number;
  logger: Logger;
}

export interface DisplayWriter {
  /** Begins to write a text to a display to which nothing is being written. */
  begin(display: Display, wanted: WantedText): void;
  /** Ends the write that is under way; the display is not at fault. */
  supersede(display: Display): void;
  /** Ends the write that is under way and shows the stale text, if anything is shown. Never rejects. */
  showStale(display: Display): Promise<void>;
  /** Shows a text for a while. Rejects when the display does not accept the text, or does not confirm it. */
  test(display: Display, text: string): Promise<void>;
}

/** @param onShown called when a display shows another text than before */
export function createDisplayWriter(deps: DisplayWriterDeps, onShown: () => void): DisplayWriter {
  const { clock, logger } = deps;

  /** @param doubt why it is not known whether the display shows the text; null: it shows the text */
  function noteShown(display: Display, { wanted, doubt }: { wanted: WantedText; doubt: string | null }): void {
    const isNew = display.shown?.text !== wanted.text || display.shown.is_stale !== wanted.is_stale;
    display.shown = { ...wanted, mono_ms: clock.monotonic() };
    display.failures = 0;
    display.next_mono_ms = 0;
    setFault(logger, display, doubt);
    if (isNew) onShown();
  }

  /** @param limitMs left out: the patience of the driver, or a few seconds */
  function write(display: Display, wanted: WantedText, limitMs?: number): Promise<void> {
    const { item } = display;
    const driver = deps.drivers.get(item.driver);
    const limit = new AbortController();
    display.limit = limit;
    const waitMs = limitMs ?? driver?.patience_ms ?? WRITE_TIMEOUT_MS;
    const timer = clock.setTimer(waitMs, () => limit.abort(new Error(`no answer within ${waitMs} ms`)));
    return showBy(driver, { item, text: wanted.text, signal: limit.signal })
      .then(
        () => noteShown(display, { wanted, doubt: null }),
        (error: unknown) => {
          if (limit.signal.reason instanceof Superseded) throw error;
          if (error instanceof NotConfirmed) noteShown(display, { wanted, doubt: errorText(error) });
          else noteFailure(deps, display, error);
          throw error;
        },
      )
      .finally(() => timer.cancel());
  }

  return {
    begin(display, wanted) {
      display.pending = wanted;
      display.writing = write(display, wanted)
        .catch(() => undefined)
        .finally(() => {
          display.writing = null;
          display.pending = null;
        });
    },
    supersede: ({ limit }) => limit.abort(new Superseded()),
    async showStale(display) {
      display.limit.abort(new Superseded());
      await display.writing;
      if (display.shown === null) return;
      const stale = { text: display.item.stale_text, is_stale: true };
      await write(display, stale, WRITE_TIMEOUT_MS).catch(() => undefined);
    },
    async test(display, text) {
      if (display.pending !== null) display.limit.abort(new Superseded());
      await display.writing;
      const writing = write(display, { text, is_stale: false }, TEST_WITHIN_MS);
      // The next look would replace the text at once.
      display.writing = writing
        .catch(() => undefined)
        .then(() => {
          display.writing = null;
          display.next_mono_ms = clock.monotonic() + TEST_SHOWN_MS;
        });
      await writing;
    },
  };
}

/** Hands the text to the driver. Rejects, too, when there is no driver or the display's settings are not for it. */
async function showBy(
  driver: DisplayDriver | undefined,
  { item, text, signal }: { item: DisplayItem; text: string; signal: AbortSignal },
): Promise<void> {
  if (driver === undefined) throw new Error(`this agent has no driver ${item.driver}`);
  const fault = displaySettingsFault(driver.name, item);
  if (fault !== null) throw new Error(fault);
  await driver.show(item, text, signal);
}

function noteFailure({ clock, random, logger }: DisplayWriterDeps, display: Display, error: unknown): void {
  const delayMs = backoffDelayMs(RETRY, display.failures++, random());
  display.next_mono_ms = clock.monotonic() + delayMs;
  setFault(logger, display, errorText(error));
}

function setFault(logger: Logger, display: Display, fault: string | null): void {
  if (display.fault === fault) return;
  const { name } = display.item;
  display.fault = fault;
  if (fault === null) logger.info({ display: name }, 'the display shows its text');
  else logger.warn({ display: name, reason: fault }, 'the display is not known to show its text');
}
