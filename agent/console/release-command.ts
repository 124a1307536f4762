/** `parking-agent release LOT`, `parking-agent release clear [LOT]` */
import type { ReleasedProduct } from '../command/lot-release.js';
import type { GatewayStatus } from '../health/status.js';
import { renderTable } from '../health/render-status.js';
import { askGateway } from './local-client.js';

const STATUS_WITHIN_MS = 5_000;
/** A product that cannot be reached is tried for 30 s, and one that has begun to move ends what it does. */
const RELEASE_WITHIN_MS = 180_000;

/** The two words after `release`. */
export interface ReleaseWords {
  /** The name of the lot, or `clear`. */
  first: string;
  second: string | undefined;
}

/**
 * Releases the lot, or ends the release.
 * @returns what to print, and whether every product did it
 * @throws Error when no gateway answers, or it is in another lot
 */
export async function releaseLot(
  place: { httpHost: string; httpPort: number },
  { first, second }: ReleaseWords,
): Promise<{ text: string; products: ReleasedProduct[]; isDone: boolean }> {
  const isClear = first === 'clear';
  const wanted = isClear ? second : first;
  if (wanted !== undefined) await checkLot(place, wanted);
  const products = await askGateway<ReleasedProduct[]>(place, {
    method: 'POST',
    path: isClear ? '/release/clear' : '/release',
    withinMs: RELEASE_WITHIN_MS,
  });
  const done = isClear ? 'released no more' : 'open, and stays open';
  const rows = products.map(({ device_id, name, problem }) => [device_id, name, problem ?? done]);
  return {
    text: renderTable(['product', 'name', 'result'], rows).join('\n'),
    products,
    isDone: products.every(({ is_done }) => is_done),
  };
}

async function checkLot(place: { httpHost: string; httpPort: number }, wanted: string): Promise<void> {
  const status = await askGateway<GatewayStatus>(place, { method: 'GET', path: '/status', withinMs: STATUS_WITHIN_MS });
  if (status.lot === wanted) return;
  const own = status.lot === null ? 'this gateway is in no lot' : `this gateway is in the lot "${status.lot}"`;
  throw new Error(`${own}, not "${wanted}": run the command on a gateway of that lot`);
}
