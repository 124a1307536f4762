/** What the browser tells of while nobody looks at the page: which kinds, of which lots, what is new, and what somebody sees anyway. */
import { MINUTE_MS } from '../../../shared/durations.js';

export const ALERT_KINDS = ['waits', 'trouble', 'plate', 'emergency'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** As the browser keeps them, for the person who is signed in. */
export interface AlertSettings {
  hasNotice: boolean;
  hasSound: boolean;
  /** What is not told: `3 waits` for vehicles that wait in lot 3. */
  off: readonly string[];
}

export const NO_ALERTS: AlertSettings = { hasNotice: false, hasSound: false, off: [] };

/** Something that somebody is told of. */
export interface Alert {
  /** The same while it is the same thing. */
  key: string;
  kind: AlertKind;
  /** null: of no lot. */
  lotId: number | null;
  title: string;
  text: string;
  /** Where it is seen. */
  path: string;
}

/** Where a tab of the console is that somebody has in front. */
export interface Front {
  view: string;
  lotId: number | null;
  /** When the tab last said so: wall milliseconds of this browser. */
  at: number;
}

/** A tab that has not said for so long that it is in front was closed. */
const FRONT_MS = 15_000;
/** What was gone for less than this is the same thing again. */
const QUIET_MS = 10 * MINUTE_MS;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Reads what the browser kept, whoever wrote it. */
export function settingsFrom(value: unknown): AlertSettings {
  if (!isRecord(value)) return NO_ALERTS;
  const { hasNotice, hasSound, off } = value;
  return {
    hasNotice: hasNotice === true,
    hasSound: hasSound === true,
    off: Array.isArray(off) ? off.filter((each) => typeof each === 'string') : [],
  };
}

/** @returns null: it is none */
export function frontFrom(value: unknown): Front | null {
  if (!isRecord(value) || typeof value.view !== 'string' || typeof value.at !== 'number') return null;
  return { view: value.view, lotId: typeof value.lotId === 'number' ? value.lotId : null, at: value.at };
}

/** How a kind of a lot is named among those that are not told. @param lotId null: what is of no lot */
export const offName = (lotId: number | null, kind: AlertKind): string => `${lotId ?? 'account'} ${kind}`;

export const isWanted = ({ lotId, kind }: Pick<Alert, 'lotId' | 'kind'>, { off }: AlertSettings): boolean =>
  !off.includes(offName(lotId, kind));

/** Whether somebody has it in front of them: then nothing is told of it. @param front null: no tab is in front */
export function isInSight({ kind, lotId }: Pick<Alert, 'kind' | 'lotId'>, front: Front | null, now: number): boolean {
  if (front === null || now - front.at > FRONT_MS) return false;
  switch (kind) {
    case 'emergency':
      return front.view !== 'kiosk';
    case 'waits':
      return front.view === 'overview' || front.view === 'live';
    case 'trouble':
      return front.view === 'overview' || (front.view === 'lot' && front.lotId === lotId);
    case 'plate':
      return front.view === 'live';
  }
}

/**
 * Finds what is there and was not there lately, and notes all that is there.
 * @param seen when each thing was last there, by its key
 */
export function freshOf(seen: Map<string, number>, present: readonly Alert[], now: number): Alert[] {
  const fresh = present.filter(({ key }) => now - (seen.get(key) ?? -Infinity) > QUIET_MS);
  for (const { key } of present) seen.set(key, now);
  for (const [key, at] of seen) if (now - at > QUIET_MS) seen.delete(key);
  return fresh;
}

interface WatchedPlates {
  id: number;
  name: string;
  /** null: all zones of the account. */
  zone: { id: number } | null;
  plates: readonly string[];
}

/** The plate alerts that a read fits. @param normalise the form of plates for comparisons */
export const alertsOfRead = <Alerting extends WatchedPlates>(
  alerts: readonly Alerting[],
  read: { plate: string; zone_id: number | null },
  normalise: (plate: string) => string,
): Alerting[] => {
  const plate = normalise(read.plate);
  if (plate === '') return [];
  return alerts.filter(
    ({ zone, plates }) =>
      (zone === null || zone.id === read.zone_id) && plates.some((each) => normalise(each) === plate),
  );
};
