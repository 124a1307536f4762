/**
 * Work of a request that takes the thread long: to parse a large body, to write a long answer. It is done in pieces, each in its own turn of
 * the event loop, and as the caller's share of the thread allows (`kernel/limit/thread-share.ts`). Short work is done at once.
 */
import type { Context } from 'hono';
import { inPieces } from '../../../shared/grouping.js';
import type { HttpEnv } from './http-env.js';

/** Up to so many characters, parsing JSON and judging it by a schema takes less than a turn would. */
const SHORT_CHARS = 16 * 1024;
/** So many items are made or written at once. */
const FEW_ITEMS = 30;

/** Does something with a text of so many characters. */
export function inShare<T>(c: Context<HttpEnv>, chars: number, piece: () => T): T | Promise<T> {
  const share = c.get('share');
  return share === undefined || chars <= SHORT_CHARS ? piece() : share.run(piece);
}

/** Makes the items of a list from its rows. */
export async function itemsOf<Row, Item>(
  c: Context<HttpEnv>,
  rows: Row[],
  make: (some: Row[]) => Item[] | Promise<Item[]>,
): Promise<Item[]> {
  const share = c.get('share');
  if (share === undefined || rows.length <= FEW_ITEMS) return make(rows);
  const items: Item[] = [];
  for (const piece of inPieces(rows, FEW_ITEMS)) items.push(...(await share.run(() => make(piece))));
  return items;
}

/** Writes the items of a JSON list, with commas between them. @param write the JSON text of an item */
export async function jsonItems<Item>(
  c: Context<HttpEnv>,
  items: readonly Item[],
  write: (item: Item) => string,
): Promise<string> {
  const share = c.get('share');
  if (share === undefined || items.length <= FEW_ITEMS) return items.map(write).join(',');
  const texts: string[] = [];
  while (texts.length < items.length) {
    await share.run((isLong) => {
      for (const item of items.slice(texts.length)) {
        texts.push(write(item));
        if (isLong()) return;
      }
    });
  }
  return texts.join(',');
}

/** Writes what an endpoint answers. */
export function jsonOf(c: Context<HttpEnv>, data: unknown): string | Promise<string> {
  if (Array.isArray(data) && data.length > FEW_ITEMS)
    return jsonItems(c, data, JSON.stringify).then((items) => `[${items}]`);
  return JSON.stringify(data);
}
