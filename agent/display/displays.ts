/**
 * Writes to the displays of this gateway what its memory says, also without a network: a changed text at once, every text again each
 * minute, and the stale text while the count is not known or the gateway stops.
 */
import { findNamed } from '../access/find-named.js';
import { every } from '../../shared/clock.js';
import type { DisplayItem } from '../../shared/gateway-config.js';
import { type DisplayReport, type ThingFault, SHOWN_LENGTH_MAX } from '../../shared/uplink-reports.js';
import {
  createDisplayWriter,
  type Display,
  type DisplayWriter,
  type DisplayWriterDeps,
  newDisplay,
  type WantedText,
} from './display-writer.js';

export type { WantedText } from './display-writer.js';

/** How often the texts are decided: a change is shown within 2 s. */
const LOOK_MS = 500;
const REFRESH_MS = 60_000;

/** A display as the status shows it to people. */
export interface DisplayView {
  name: string;
  driver: string;
  /** The text that the display last accepted, as far as is known; null: none since the agent started. */
  text: string | null;
  shown_ago_s: number | null;
  /** Why the display does not show its text, or why that is not known; null: it shows its text. */
  fault: string | null;
}

export interface DisplaysDeps extends DisplayWriterDeps {
  /** Decides from the gateway's memory what a display has to show now. */
  wanted(item: DisplayItem): WantedText;
  /** Reports to the cloud what displays show. */
  publish(shown: DisplayReport[]): void;
}

export interface Displays {
  /** Replaces the displays by those of the configuration. */
  setDisplays(items: Iterable<DisplayItem>): void;
  list(): DisplayView[];
  /** Those that do not show their texts, for the cloud. */
  faults(): ThingFault[];
  /** Reports to the cloud at once what the displays show. */
  report(): void;
  /** Shows a text for 10 s. Rejects with the reason when the display does not accept the text, or does not confirm it. */
  test(name: string, text: string): Promise<void>;
  /** Shows the stale texts and stops. Idempotent. */
  close(): Promise<void>;
}

export function createDisplays(deps: DisplaysDeps): Displays {
  const { clock, logger } = deps;
  const writer = createDisplayWriter(deps, report);
  const displays = new Map<number, Display>();
  /** Displays that are not in the configuration any more and are being given their stale text. */
  const leaving = new Set<Promise<void>>();

  /** @param isGone whether the device is not written to any more: it gets its stale text, or what it shows would stay for ever */
  function leave(display: Display, isGone: boolean): Promise<void> {
    const left = (isGone ? writer.showStale(display) : supersede(display)).finally(() => leaving.delete(left));
    leaving.add(left);
    return left;
  }

  async function supersede(display: Display): Promise<void> {
    writer.supersede(display);
    await display.writing;
  }

  function report(): void {
    const shown = [...displays.values()].flatMap((display) => reportOf(display, clock.monotonic()));
    if (shown.length > 0) deps.publish(shown);
  }

  const looking = every({
    clock,
    periodMs: LOOK_MS,
    work: () => displays.forEach((display) => look(deps, writer, display)),
    onError: (error) => logger.error({ err: error }, 'the texts of the displays could not be decided'),
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
        // It may be the same device: the earlier write has to end before the device is written to again.
        const next = newDisplay(item);
        next.writing = left.finally(() => (next.writing = null));
        displays.set(id, next);
      }
      for (const [id, item] of wanted) if (!displays.has(id)) displays.set(id, newDisplay(item));
    },
    list: () => [...displays.values()].map((display) => viewOf(display, clock.monotonic())),
    faults: () => [...displays.values()].flatMap(faultOf),
    report,
    async test(name, text) {
      const display = displayNamed(displays.values(), name);
      await writer.test(display, text);
    },
    async close() {
      looking.cancel();
      reporting.cancel();
      await Promise.all([...displays.values()].map((display) => writer.showStale(display)));
      await Promise.all(leaving);
      displays.clear();
    },
  };
}

/** Decides what the display has to show, and begins to write it when that is due. */
function look({ clock, drivers, wanted: wantedOf }: DisplaysDeps, writer: DisplayWriter, display: Display): void {
  const mono_ms = clock.monotonic();
  const { shown, pending, writing } = display;
  if (writing === null && mono_ms < display.next_mono_ms) return;
  const wanted = wantedOf(display.item);
  if (writing !== null) {
    const isPatient = drivers.get(display.item.driver)?.patience_ms !== undefined;
    if (isPatient && pending !== null && pending.text !== wanted.text) writer.supersede(display);
    return;
  }
  const isDue =
    shown === null ||
    shown.text !== wanted.text ||
    shown.is_stale !== wanted.is_stale ||
    mono_ms - shown.mono_ms >= REFRESH_MS;
  if (isDue) writer.begin(display, wanted);
}

function viewOf({ item: { name, driver }, shown, fault }: Display, mono_ms: number): DisplayView {
  const shown_ago_s = shown === null ? null : Math.round((mono_ms - shown.mono_ms) / 1_000);
  return { name, driver, text: shown?.text ?? null, shown_ago_s, fault };
}

function displayNamed(displays: Iterable<Display>, name: string): Display {
  const named = [...displays].map((display) => ({ name: display.item.name, display }));
  return findNamed(named, name, 'display').display;
}

const faultOf = ({ item, fault }: Display): ThingFault[] =>
  fault === null ? [] : [{ kind: 'display', id: item.id, problem: fault }];

function reportOf({ item, shown }: Display, mono_ms: number): DisplayReport[] {
  if (shown === null) return [];
  const shown_ago_ms = Math.max(0, Math.round(mono_ms - shown.mono_ms));
  const text = shown.text.slice(0, SHOWN_LENGTH_MAX);
  return [{ display_id: item.id, text, shown_ago_ms, is_stale: shown.is_stale }];
}
