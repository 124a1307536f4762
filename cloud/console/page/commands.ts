/** Commands that were given in this tab, each from the press of its button to its end. */
import { type components, type ParkingClient, ParkingError, type RealtimeEvent } from '@parking-gateway/client';
import { signal } from '@preact/signals';
import type { Operation } from '../wording/product-view.js';
import type { Refusal, ShownCall } from '../wording/sentences.js';
import { newKey } from './draft.js';
import { client, mover, refusalOf } from './session.js';
import { loadLots } from './store.js';
import { onEvent } from './event-listeners.js';

type Command = components['schemas']['Command'];

export interface GivenCommand {
  operation: Operation;
  call: ShownCall;
  eventId: string | null;
  /** What the service knows of it; null until it was asked. */
  record: Command | null;
  /** The service did not take it. */
  refusal: Refusal | null;
  /** What the service told everybody of its end; null: that has not come, or was lost with the connection. */
  event: RealtimeEvent | null;
  /** The plate reading for whose vehicle it was given; null: for none. */
  readingId: number | null;
  /** When this browser learned of its end, milliseconds since 1970; null: it has not. */
  endedMs: number | null;
}

const BEGUN = { eventId: null, record: null, refusal: null, event: null, readingId: null, endedMs: null };

/** The last one of each product, by its id. */
export const commands = signal<ReadonlyMap<number, GivenCommand>>(new Map());
/** Those of releases, each by its own id: a product may be given another one before it has ended. Which product it is, its record says. */
export const releaseCommands = signal<ReadonlyMap<string, GivenCommand>>(new Map());
/** The ids of the last release of each lot, or of its end, by the lot's id. */
export const lotReleases = signal<ReadonlyMap<number, readonly string[]>>(new Map());

const POLL_MS = 1_000;
const POLL_LONGEST_MS = 10_000;
/** Of many commands each is asked for less often: a token may ask 600 times a minute. */
const POLL_EACH_MS = 150;

export const isPending = (given: GivenCommand | undefined): boolean =>
  given !== undefined && given.refusal === null && (given.record === null || given.record.status === 'pending');

function keep(productId: number, given: GivenCommand): void {
  commands.value = new Map(commands.value).set(productId, given);
}

/** What was given by who has signed out is not shown to who comes next. */
export function forgetCommands(): void {
  commands.value = new Map();
  releaseCommands.value = new Map();
  lotReleases.value = new Map();
}

/** A gate that moves long after its button was pressed surprises people: after this time the person is told that no answer came. */
const ANSWERED_WITHIN_MS = 5_000;

/**
 * Makes a call that moves something: at once and once, or not at all.
 * @throws ParkingError with status 0 when there is no network, or no answer in time
 */
export async function moveNow<Answer>(
  call: (mover: ParkingClient, how: { timeoutMs: number; signal: AbortSignal }) => Promise<Answer>,
): Promise<Answer> {
  const isGone = new AbortController();
  const giveUp = () => isGone.abort(new ParkingError({ message: 'There is no network' }));
  if (!navigator.onLine) giveUp();
  addEventListener('offline', giveUp);
  try {
    return await call(mover(), { timeoutMs: ANSWERED_WITHIN_MS, signal: isGone.signal });
  } finally {
    removeEventListener('offline', giveUp);
  }
}

/** The facts beside an operation. */
export interface Beside {
  /** Why, for the audit log; empty: nobody said. */
  reason?: string;
  /** Closes what is held open in an emergency. */
  during_release?: true;
  /** For whose vehicle; the service refuses one that came too long ago. */
  plate_reading_id?: number;
  plate_sighting_id?: number;
}

/** The call that gives a command. */
export const callOf = (productId: number, operation: Operation, { reason = '', ...beside }: Beside = {}) => ({
  method: 'POST',
  path: `/v2/products/${productId}/state`,
  body: { operation, ...(reason === '' ? {} : { reason }), ...beside },
});

/** Gives a command and follows it to its end. One that is under way is not given again. */
export async function give(productId: number, operation: Operation, beside: Beside = {}): Promise<void> {
  if (isPending(commands.value.get(productId))) return;
  const call = callOf(productId, operation, beside);
  const { body } = call;
  const given: GivenCommand = { ...BEGUN, operation, call, readingId: beside.plate_reading_id ?? null };
  keep(productId, given);
  try {
    const idempotencyKey = newKey();
    const { event_id: eventId } = await moveNow((one, how) =>
      one.post('/v2/products/{id}/state', { path: { id: productId }, body, idempotencyKey, ...how }),
    );
    const isShown = () => commands.value.get(productId)?.eventId === eventId;
    keep(productId, { ...given, eventId });
    await follow(eventId, { ...given, eventId }, { keep: (next) => keep(productId, next), isShown, pollMs: POLL_MS });
  } catch (error) {
    const refusal = refusalOf(error);
    keep(productId, { ...given, refusal });
    // An emergency of which this page had not heard.
    if (refusal.errors.some(({ field }) => field === 'during_release')) void loadLots();
  }
}

/**
 * Opens everything in a lot, or ends that, and follows the commands to their ends.
 * @throws ParkingError
 */
export async function releaseLot(lotId: number, what: { hold: 0 | 1 } | 'clear'): Promise<void> {
  const isClear = what === 'clear';
  const path = isClear ? (`/v2/lots/{id}/release/clear` as const) : (`/v2/lots/{id}/release` as const);
  const body = isClear ? {} : what;
  const idempotencyKey = newKey();
  const { event_ids } = await moveNow((one, how) =>
    one.post(path, { path: { id: lotId }, body, idempotencyKey, ...how }),
  );
  const call = { method: 'POST', path: path.replace('{id}', String(lotId)), body };
  followAll(event_ids, call, isClear ? 'clear_stay_open' : what.hold === 1 ? 'stay_open' : 'open');
  lotReleases.value = new Map(lotReleases.value).set(lotId, event_ids);
  await loadLots();
}

/** Follows the commands of a lot's release, one for each product that is to move. They are shown at their products, too. */
function followAll(eventIds: readonly string[], call: ShownCall, operation: Operation): void {
  const pollMs = Math.max(POLL_MS, eventIds.length * POLL_EACH_MS);
  for (const eventId of eventIds) {
    let product_id: number | undefined;
    const keepBoth = (next: GivenCommand) => {
      releaseCommands.value = new Map(releaseCommands.value).set(eventId, next);
      const isFirst = product_id === undefined;
      product_id ??= next.record?.product_id;
      // The product may have been given another one since.
      if (product_id !== undefined && (isFirst || commands.value.get(product_id)?.eventId === eventId))
        keep(product_id, next);
    };
    const given = { ...BEGUN, operation, call, eventId };
    keepBoth(given);
    void follow(eventId, given, { keep: keepBoth, isShown: () => releaseCommands.value.has(eventId), pollMs });
  }
}

/**
 * An event tells of the end at once; asking tells it when the event was lost with the connection.
 * @param shown.isShown whether anybody still wants to know. @param shown.pollMs how long it waits before it asks the second time
 */
async function follow(
  eventId: string,
  given: GivenCommand,
  shown: { keep: (given: GivenCommand) => void; isShown: () => boolean; pollMs: number },
): Promise<void> {
  let wake: () => void = () => undefined;
  let latest = given;
  const change = (next: Partial<GivenCommand>) => {
    latest = { ...latest, ...next };
    if (shown.isShown()) shown.keep(latest);
  };
  const stop = onEvent((event) => {
    const reported =
      event.event === 'lot_change' || event.event === 'gateway_error' ? event.payload.event_id : undefined;
    if (reported !== eventId) return;
    change({ event });
    wake();
  });

  try {
    for (let waitMs = shown.pollMs; shown.isShown(); waitMs = Math.min(waitMs * 1.2, POLL_LONGEST_MS)) {
      const record = await client()
        .get('/v2/commands/{event_id}', { path: { event_id: eventId } })
        .catch((error: unknown) => {
          if (refusalOf(error).status !== 0) throw error;
          return null;
        });
      if (record !== null) change({ record, endedMs: record.status === 'pending' ? null : Date.now() });
      if (record !== null && record.status !== 'pending') return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, waitMs);
      });
    }
  } catch (error) {
    change({ refusal: refusalOf(error) });
  } finally {
    stop();
  }
}
