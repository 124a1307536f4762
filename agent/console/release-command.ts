/** `parking-agent release LOT`, `parking-agent release clear LOT` */
import { renderTable, terminalWidth } from '../../shared/node/text-table.js';
import { SettingsError } from '../../shared/settings.js';
import type { ReleasedProduct } from '../command/lot-release.js';
import type { GatewayStatus } from '../health/status.js';
import { askGateway, askStatus, type GatewayPlace } from './local-client.js';

/** A product that cannot be reached is tried for 30 s, and a product that has begun to move finishes its movement. */
const RELEASE_WITHIN_MS = 180_000;
const CLEAR = 'clear';

/**
 * Releases the lot, or ends the release.
 * @param words what follows `release`: the name of the lot, which needs no quotes, or `clear` and the name
 * @param onBegin called with a text for the waiting person, which says what begins
 * @returns what to print, and whether every product did it
 * @throws SettingsError without a lot; Error when no gateway answers, or it is in another lot, or knows of no product there
 */
export async function releaseLot(
  place: GatewayPlace,
  words: readonly string[],
  onBegin: (text: string) => void,
): Promise<{ text: string; products: ReleasedProduct[]; isDone: boolean }> {
  const isClear = words[0] === CLEAR;
  const wanted = (isClear ? words.slice(1) : words).join(' ');
  if (plain(wanted) === '') throw new SettingsError(['which lot? parking-agent release clear LOT']);
  const status = await askStatus(place);
  const lot = lotOf(status, wanted);
  onBegin(
    `${isClear ? 'ending the release of' : 'opening'} ${countOf(status.products.length)} of the lot "${lot}"; ` +
      'what cannot be reached is tried for 30 s',
  );
  const products = await askGateway<ReleasedProduct[]>(place, {
    method: 'POST',
    path: isClear ? '/release/clear' : '/release',
    withinMs: RELEASE_WITHIN_MS,
  });
  const done = isClear ? 'released no more' : 'open, and stays open';
  const rows = products.map(({ device_id, name, problem }) => [
    device_id,
    name,
    problem === null ? done : `NOT DONE: ${problem}`,
  ]);
  const failed = products.filter(({ is_done }) => !is_done).length;
  return {
    text: [
      ...renderTable(['product', 'name', 'result'], rows, terminalWidth()),
      summaryOf({ isClear, failed, lot }),
    ].join('\n'),
    products,
    isDone: failed === 0,
  };
}

/** @returns the name of the gateway's lot */
function lotOf({ lot, products }: GatewayStatus, wanted: string): string {
  if (lot === null) throw new Error('this gateway is in no lot yet: run the command on a gateway of the lot');
  if (plain(wanted) !== plain(lot))
    throw new Error(
      `this gateway is in the lot "${lot}", not "${wanted}": run the command on a gateway of that lot, or name this one`,
    );
  if (products.length === 0) throw new Error(`this gateway knows of no product in the lot "${lot}"`);
  return lot;
}

/** In an emergency the name may be written without capitals. */
const plain = (name: string) => name.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();

const countOf = (products: number) => (products === 1 ? '1 product' : `${products} products`);

function summaryOf({ isClear, failed, lot }: { isClear: boolean; failed: number; lot: string }): string {
  if (failed > 0)
    return `${countOf(failed)} did not: ${isClear ? 'give the command again' : 'open by hand, or give the command again'}`;
  return isClear ? 'the release is over; nothing was moved' : `until you say: parking-agent release ${CLEAR} ${lot}`;
}
