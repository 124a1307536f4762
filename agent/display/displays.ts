/**
 * Writes to the displays of this gateway what its memory says, also without a network: a changed text at once, every text again each
 * minute, and the stale text while the count is not known or the gateway stops.
 */
import { backoffDelayMs, type BackoffLimits } from '../../shared/backoff.js';
import { type Clock, every } from '../../shared/clock.js';
import { displaySettingsFault } from '../../shared/drivers/display-drivers.js';
import type { DisplayItem } from '../../shared/gateway-config.js';
import type { Logger } from '../../shared/logger.js';
import { type DisplayReport, SHOWN_LENGTH_MAX } from '../../shared/uplink-reports.js';
import { type DisplayDrivers, NotConfirmed } from './display.js';
import { errorText } from '../../shared/error-text.js';

/** How often the texts are decided: a change is shown within 2 s. */
const LOOK_MS = 500;
const REFRESH_MS = 60_000;
const WRITE_TIMEOUT_MS = 5_000;
const RETRY: BackoffLimits = { baseMs: 1_000, maxMs: 30_000 };

/** What a display has to show. */
export interface WantedText {
  text: string;
  /** The count is not known, so that it is the stale text. */
  is_stale: boolean;
}

/** A display as the status shows it to people. */
export interface DisplayView {
  name: string;
  driver: string;
  /** What it took last, as far as anybody can tell; null: nothing since the agent started. */
  text: string | null;
  shown_ago_s: number | null;
  /** Why it does not show what it should, or why nobody knows; null: it does. */
  fault: string | null;
}

export interface DisplaysDeps {
  drivers: DisplayDrivers;
  /** Decides from the gateway's memory what a display has to show now. */
  wanted(item: DisplayItem): WantedText;
  clock: Clock;
  random(): number;
  logger: Logger;
  /** Tells the cloud what displays show. */
  publish(shown: DisplayReport[]): void;
}

export interface Displays {
  /** Replaces the displays by those of the configuration. */
  setDisplays(items: Iterable<DisplayItem>): void;
  list(): DisplayView[];
  /** Tells the cloud at once what the displays show. */
  report(): void;
  /** Shows a text until the next change or refresh. Rejects with the reason when the display does not take it, or does not confirm it. */
  test(name: string, text: string): Promise<void>;
  /** Shows the stale texts and stops. Idempotent. */
  close(): Promise<void>;
}

interface Display {
  item: DisplayItem;
  shown: (WantedText & { mono_ms: number }) | null;
  /** When the next attempt is due, on the monotonic clock; 0: at once. */
  next_mono_ms: number;
  failures: number;
  fault: string | null;
  /** Never rejects. */
  writing: Promise<void> | null;
  /** What is being written, unless it is a test. */
  pending: WantedText | null;
  /** Ends the write that is under way. */
  limit: AbortController;
}

/** Ends a write because something else is to be shown, or nothing any more: no failure of the display. */
class Superseded extends Error {}

const newDisplay = (item: DisplayItem): Display => ({
  item,
  shown: null,
  next_mono_ms: 0,
  failures: 0,
  fault: null,
  writing: null,
  pending: null,
  limit: new AbortController(),
});

/**
 * Writes to displays, and notes what came of it: what is shown, why not, and when the next attempt is due. What it returns rejects
 * when the display does not take the text, or does not confirm it.
 */
function createDisplayWriter(
  deps: Pick<DisplaysDeps, 'drivers' | 'clock' | 'random' | 'logger'> & { onShown(): void },
): (display: Display, wanted: WantedText, limitMs?: number) => Promise<void> {
  const { clock, logger } = deps;

  function setShown(display: Display, wanted: WantedText, doubt: string | null): void {
    const isNew = display.shown?.text !== wanted.text || display.shown.is_stale !== wanted.is_stale;
    display.shown = { ...wanted, mono_ms: clock.monotonic() };
    display.failures = 0;
    display.next_mono_ms = 0;
    setFault(display, doubt);
    if (isNew) deps.onShown();
  }

  function setFault(display: Display, fault: string | null): void {
    if (display.fault === fault) return;
    const { name } = display.item;
    display.fault = fault;
    if (fault === null) logger.info({ display: name }, 'the display shows its text');
    else logger.warn({ display: name, reason: fault }, 'the display is not known to show its text');
  }

  /** @param limitMs left out: as long as its driver has patience */
  return function write(display: Display, wanted: WantedText, limitMs?: number): Promise<void> {
    const { item } = display;
    const driver = deps.drivers.get(item.driver);
    const fault =
      driver === undefined ? `this agent has no driver ${item.driver}` : displaySettingsFault(driver.name, item);
    const limit = new AbortController();
    display.limit = limit;
    const waitMs = limitMs ?? driver?.patience_ms ?? WRITE_TIMEOUT_MS;
    const timer = clock.setTimer(waitMs, () => limit.abort(new Error(`no answer within ${waitMs} ms`)));
    const shown =
      driver === undefined || fault !== null
        ? Promise.reject(new Error(fault ?? 'no driver'))
        : driver.show(item, wanted.text, limit.signal);
    return shown
      .then(
        () => setShown(display, wanted, null),
        (error: unknown) => {
          if (limit.signal.reason instanceof Superseded) throw error;
          if (error instanceof NotConfirmed) {
            setShown(display, wanted, error.message);
            throw error;
          }
          const delayMs = backoffDelayMs(RETRY, display.failures++, deps.random());
          display.next_mono_ms = clock.monotonic() + delayMs;
          setFault(display, errorText(error));
          throw error;
        },
      )
      .finally(() => timer.cancel());
  };
}

const staleOf = ({ item }: Display): WantedText => ({ text: item.stale_text, is_stale: true });

export function createDisplays(deps: DisplaysDeps): Displays {
  const { clock, logger } = deps;
  const write = createDisplayWriter({ ...deps, onShown: report });
  const displays = new Map<number, Display>();
  /** Displays that are not in the configuration any more, and get their stale text. */
  const leaving = new Set<Promise<void>>();

  function look(): void {
    const mono_ms = clock.monotonic();
    for (const display of displays.values()) {
      if (display.writing === null && mono_ms < display.next_mono_ms) continue;
      const wanted = deps.wanted(display.item);
      const { shown, pending } = display;
      if (display.writing !== null) {
        const isPatient = deps.drivers.get(display.item.driver)?.patience_ms !== undefined;
        if (isPatient && pending !== null && pending.text !== wanted.text) display.limit.abort(new Superseded());
        continue;
      }
      const isDue =
        shown === null ||
        shown.text !== wanted.text ||
        shown.is_stale !== wanted.is_stale ||
        mono_ms - shown.mono_ms >= REFRESH_MS;
      if (!isDue) continue;
      display.pending = wanted;
      display.writing = write(display, wanted)
        .catch(() => undefined)
        .finally(() => {
          display.writing = null;
          display.pending = null;
        });
    }
  }

  /** Ends what is being written. A device that will not be written to any more gets its stale text: what it shows would stay for ever. */
  function leave(display: Display, isGone: boolean): Promise<void> {
    display.limit.abort(new Superseded());
    const left = (async () => {
      await display.writing;
      if (!isGone || display.shown === null) return;
      await write(display, staleOf(display), WRITE_TIMEOUT_MS).catch(() => undefined);
    })().finally(() => leaving.delete(left));
    leaving.add(left);
    return left;
  }

  function report(): void {
    const mono_ms = clock.monotonic();
    const shown = [...displays.values()].flatMap(({ item, shown: last }) => {
      if (last === null) return [];
      const { is_stale } = last;
      const text = last.text.slice(0, SHOWN_LENGTH_MAX);
      return { display_id: item.id, text, shown_ago_ms: Math.max(0, Math.round(mono_ms - last.mono_ms)), is_stale };
    });
    if (shown.length > 0) deps.publish(shown);
  }

  const looking = every({
    clock,
    periodMs: LOOK_MS,
    work: look,
    onError: (error) => logger.error({ err: error }, 'the displays could not be looked after'),
  });
  const reporting = every({
    clock,
    periodMs: REFRESH_MS,
    work: report,
    onError: (error) => logger.error({ err: error }, 'what displays show could not be reported'),
  });

  return {
    setDisplays(items) {
      const wanted = new Map([...items].map((item) => [item.id, item]));
      for (const [id, display] of displays) {
        const item = wanted.get(id);
        if (JSON.stringify(item) === JSON.stringify(display.item)) continue;
        displays.delete(id);
        const { driver, address } = display.item;
        const left = leave(display, item?.driver !== driver || item.address !== address);
        if (item === undefined) continue;
        // It may be the same device: what was there before is to be over before it is written to again.
        const next = newDisplay(item);
        next.writing = left.finally(() => (next.writing = null));
        displays.set(id, next);
      }
      for (const [id, item] of wanted) if (!displays.has(id)) displays.set(id, newDisplay(item));
    },
    list() {
      const mono_ms = clock.monotonic();
      return [...displays.values()].map(({ item: { name, driver }, shown, fault }) => ({
        name,
        driver,
        text: shown?.text ?? null,
        shown_ago_s: shown === null ? null : Math.round((mono_ms - shown.mono_ms) / 1_000),
        fault,
      }));
    },
    report,
    async test(name, text) {
      const display = [...displays.values()].find(({ item }) => item.name === name);
      if (display === undefined) throw new Error(`this gateway has no display ${name}`);
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
    async close() {
      looking.cancel();
      reporting.cancel();
      await Promise.all(
        [...displays.values()].map(async (display) => {
          display.limit.abort(new Error('the gateway stops'));
          await display.writing;
          if (display.shown === null) return;
          await write(display, staleOf(display), WRITE_TIMEOUT_MS).catch(() => undefined);
        }),
      );
      await Promise.all(leaving);
      displays.clear();
    },
  };
}

/** Whoever tests a display stands in front of it. */
const TEST_WITHIN_MS = 10_000;
/** How long a test text stays. */
const TEST_SHOWN_MS = 10_000;
