/** Lists of which a view reads the beginning, and the rest on demand. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Refusal } from '../wording/sentences.js';
import { refusalOf } from './session.js';
import { type Read, useRead } from './use-read.js';

/** How many rows come at once. */
export const ROWS_AT_ONCE = 50;
/** More is no list to look through: filters find the rest. */
const ROWS_MAX = 1_000;

export interface LongList<Item> extends Read<readonly Item[]> {
  /** Asks for the rows after the last one; null when there are none, or too many. */
  more: (() => void) | null;
}

/**
 * A list with the newest first, of which the rest comes on demand: by the id of its last row, so that what is added meanwhile moves nothing.
 * @param ask gets the filter that leads to the rows after the last one, and how many are wanted; where the service sorts by something else, it
 * asks for the page instead, and what moved meanwhile stands there once
 */
export function useLongList<Item extends { id: number }>(
  key: string,
  ask: (page: { beyond: string[]; page: number; size: number }, signal: AbortSignal) => Promise<readonly Item[]>,
): LongList<Item> {
  const rest = useSignal<readonly Item[]>([]);
  const hasMore = useSignal(true);
  const isBusy = useSignal(false);
  /** Of the rows after the first ones. */
  const refusal = useSignal<Refusal | null>(null);
  const round = useRef(0);
  const first = useRead(key, async (signal) => {
    const rows = await ask({ beyond: [], page: 1, size: ROWS_AT_ONCE }, signal);
    if (!signal.aborted) {
      round.current += 1;
      rest.value = [];
      refusal.value = null;
      hasMore.value = rows.length === ROWS_AT_ONCE;
    }
    return rows;
  });
  const found = first.found === null ? null : [...first.found, ...rest.value];
  const readMore = async (last: Item, known: readonly Item[]) => {
    if (isBusy.value) return;
    isBusy.value = true;
    const own = round.current;
    try {
      const page = Math.floor(known.length / ROWS_AT_ONCE) + 1;
      const beyond = [`id:lt:${last.id}`];
      const next = await ask({ beyond, page, size: ROWS_AT_ONCE }, new AbortController().signal);
      if (own === round.current) {
        const ids = new Set(known.map(({ id }) => id));
        rest.value = [...rest.value, ...next.filter(({ id }) => !ids.has(id))];
        hasMore.value = next.length === ROWS_AT_ONCE;
      }
    } catch (error) {
      refusal.value = refusalOf(error);
    }
    isBusy.value = false;
  };
  const last = found?.at(-1);
  const canMore = hasMore.value && found !== null && found.length < ROWS_MAX;
  return {
    found,
    at: first.at,
    refusal: refusal.value ?? first.refusal,
    again: first.again,
    more: canMore && found !== null && last !== undefined ? () => void readMore(last, found) : null,
  };
}
