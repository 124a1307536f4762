/** Plate readings, by when they were read, the newest first, and beside them the refused vehicles of the last day with what let them through later. */
import { computed, signal } from '@preact/signals';
import type { RealtimeEvent } from '@parking-gateway/client';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { lateOf, newestFirst } from '../wording/reading-order.js';
import { isRefused } from '../wording/sentences.js';
import { gathered, load, newestOf, PAGE_MAX } from './loading.js';
import type { Reading } from './records.js';
import { client } from './session.js';
import { DAY_MS } from '../../../shared/durations.js';

type PlateEvent = Extract<RealtimeEvent, { event: 'plate_reading_create' | 'plate_reading_update' }>;

const READINGS_MAX = 200;
const READINGS_AT_ONCE = 50;
const REFUSED_MAX = 600;
/** How many newer readings are searched for one that let a refused vehicle through later. */
const ADMITTED_MAX = 1_500;
/** Readings within this time are drawn together: no person sees them come one by one. */
const TOGETHER_MS = 30;
/** Fields of a reading that its event leaves out, until its record is read over REST. */
const NOT_IN_EVENT = {
  original_plate: null,
  corrected_by: null,
  corrected_at: null,
  time_source: null,
  handled_at: null,
  handled_by: null,
  handled_how: null,
};

export const readings = signal<Reading[]>([]);
/** Those of the last day that are about vehicles that were refused. */
const earlier = signal<readonly Reading[]>([]);

/** All that is known, the newest first. */
export const knownReadings = computed<readonly Reading[]>(() => {
  const ids = new Set(readings.value.map(({ id }) => id));
  return [...readings.value, ...earlier.value.filter(({ id }) => !ids.has(id))].toSorted(newestFirst);
});

let lateBefore: ReadonlySet<number> = new Set();
/** Those that came long after the vehicle stood there. While they are the same it is the same set, so that no row is drawn for it. */
export const lateReadings = computed<ReadonlySet<number>>(() => {
  const late = lateOf(knownReadings.value);
  if (late.size !== lateBefore.size || [...late].some((id) => !lateBefore.has(id))) lateBefore = late;
  return lateBefore;
});

export function forgetReadings(): void {
  clearTimeout(flushTimer);
  [newReadings, flushTimer] = [[], undefined];
  readings.value = [];
  earlier.value = [];
}

export const readNewest = (): Promise<Reading[]> =>
  client().get('/v2/plate-readings', { query: { sort: 'created_at:desc', size: READINGS_AT_ONCE } });

/** Only the record over REST says who corrected the plate. */
const loadReadingsSoon = gathered(() => load('readings', readNewest, keepReadings));

export function keepReadings(fresh: readonly Reading[]): void {
  const ids = new Set(fresh.map(({ id }) => id));
  const known = new Set(earlier.value.map(({ id }) => id));
  const shown = new Set(readings.value.map(({ id }) => id));
  const isEarlier = ({ id }: Reading) => known.has(id) && !shown.has(id);
  const rest = readings.value.filter(({ id }) => !ids.has(id));
  const next = [...fresh.filter((each) => !isEarlier(each)), ...rest].toSorted(newestFirst);
  readings.value = next.slice(0, READINGS_MAX);
  keepEarlier([...fresh.filter(isEarlier), ...next.slice(READINGS_MAX)]);
}

/** Keeps readings of refused vehicles beyond the newest ones: these vehicles may still be waiting. */
function keepEarlier(fresh: readonly Reading[]): void {
  if (fresh.length === 0) return;
  const ids = new Set(fresh.map(({ id }) => id));
  earlier.value = ofRefused([...fresh, ...earlier.value.filter(({ id }) => !ids.has(id))]);
}

/** Only the readings of vehicles that were refused within a day: the refusals, and the readings that let these vehicles through. */
function ofRefused(all: readonly Reading[]): Reading[] {
  const since = Date.now() - DAY_MS;
  const recent = all.filter(({ created_at }) => Date.parse(created_at) >= since);
  const vehicles = new Set(recent.filter(isRefused).map(({ plate }) => normalisePlate(plate)));
  return recent
    .filter(
      (each) => isRefused(each) || (each.access_decision === 'triggered' && vehicles.has(normalisePlate(each.plate))),
    )
    .toSorted(newestFirst)
    .slice(0, REFUSED_MAX + ADMITTED_MAX);
}

/** The refused vehicles of the last day: the newest readings alone forget them after a rush, and with a reload. */
export const loadRefused = (): Promise<void> => load('refused', readRefused, keepEarlier);

async function readRefused(): Promise<Reading[]> {
  const since = `date_from:eq:${new Date(Date.now() - DAY_MS).toISOString()}`;
  const ask = (filter: readonly string[], most: number) =>
    newestOf(
      ({ beyond, size }) =>
        client().get('/v2/plate-readings', { query: { filter: [...filter, ...beyond], sort: 'id:desc', size } }),
      most,
    );
  const denied = ['access_decision:eq:denied', 'access_decision_reason:neq:debounce', since];
  const refused = await ask(denied, REFUSED_MAX);
  const oldest = refused.at(-1);
  if (oldest === undefined) return [];
  const admitted = await ask(['access_decision:eq:triggered', `id:gt:${oldest.id}`, since], ADMITTED_MAX);
  return ofRefused([...refused, ...admitted]);
}

/** What happened to a reading may be kept this much later than it says. */
const OVERLAP_MS = 10_000;

/** No event tells that somebody dealt with a refused vehicle: the known ones that changed since are read again. */
export const loadHandled = (): Promise<void> => load('handled', readHandled, keepReadings);
export const loadHandledSoon = gathered(loadHandled);

async function readHandled(): Promise<Reading[]> {
  const refused = knownReadings.value.filter(isRefused);
  if (refused.length === 0) return [];
  const newest = Math.max(...refused.map(({ updated_at }) => Date.parse(updated_at)));
  const since = new Date(newest - OVERLAP_MS).toISOString();
  const filter = ['access_decision:eq:denied', `updated_at:gte:${since}`];
  const changed = await client().get('/v2/plate-readings', {
    query: { filter, sort: 'updated_at:desc', size: PAGE_MAX },
  });
  const shown = new Map(refused.map((each) => [each.id, each]));
  // What is shown as it was stays, with its picture.
  return changed.filter((each) => {
    const before = shown.get(each.id);
    return before !== undefined && before.updated_at !== each.updated_at;
  });
}

/** Readings whose links to pictures have ended. */
const ended = new Set<number>();

const renewSoon = gathered(() => {
  const filter = [`id:in:${[...ended].join(',')}`];
  const size = ended.size;
  ended.clear();
  return load('renewed', () => client().get('/v2/plate-readings', { query: { filter, size } }), keepReadings);
});

/** Links to pictures end after a time: asks for the record again, for several of them at once. */
export function renewReading(id: number): void {
  if (ended.size < READINGS_AT_ONCE) ended.add(id);
  renewSoon();
}

/** Readings of events that are shown together. */
let newReadings: Reading[] = [];
let flushTimer: ReturnType<typeof setTimeout> | undefined;

/** Shows the reading of an event at once; the readings of several quick events are drawn together. */
export function keepPushedReading(payload: PlateEvent['payload']): void {
  const isSame = ({ id }: Reading) => id === payload.id;
  const before = newReadings.find(isSame) ?? readings.value.find(isSame) ?? earlier.value.find(isSame);
  if (before !== undefined && before.plate !== payload.plate) loadReadingsSoon();
  newReadings = [...newReadings.filter(({ id }) => id !== payload.id), { ...NOT_IN_EVENT, ...before, ...payload }];
  flushTimer ??= setTimeout(() => {
    const fresh = newReadings;
    [newReadings, flushTimer] = [[], undefined];
    keepReadings(fresh);
  }, TOGETHER_MS);
}
