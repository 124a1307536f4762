/** How a product is, in the words of people. */
import { decodeAdvertisement } from '../../shared/product-protocol/advertisement-codec.js';
import { hexToBytes } from '../../shared/product-protocol/bytes.js';
import { type ErrorBit, errorBits } from '../../shared/product-protocol/status-block.js';
import { isBatteryLow } from '../../shared/troubles/rules.js';
import { durationWords } from './duration-words.js';
import type { GatewayStatus } from './status.js';

type Product = GatewayStatus['products'][number];

const ERROR_WORDS: Record<ErrorBit, string> = {
  jammed: 'jammed: look whether something blocks it',
  sensor_dirty: 'its sensor is dirty: wipe it',
  pin_broken: 'a pin is broken: it needs a technician',
  rtcc_invalid: 'its clock is not set: the next command sets it',
  battery_empty: 'its battery is empty: charge or change it',
  master_key_not_set: 'it has no key: pair it',
};

/** Says whether vehicles can pass. A state from before the product was lost counts no more. */
export function passageOf({ status, state }: Pick<Product, 'status' | 'state'>): Product['passage'] {
  if (status === 'online' && state === 'opened') return 'passable';
  return status === 'online' && state === 'closed' ? 'blocked' : 'unknown';
}

/**
 * Judges the key of a product.
 * @param unproven what was heard under its name lately that its key does not prove, as hex; undefined: nothing was
 * @param isRefused it refused the gateway's credential
 */
export function keyFaultOf(unproven: string | undefined, isRefused: boolean): Product['key_fault'] {
  const heard = unproven === undefined ? null : decodeAdvertisement(hexToBytes(unproven));
  if (heard !== null) return errorBits(heard.errors).master_key_not_set ? 'none' : 'other';
  return isRefused ? 'refused' : null;
}

/** Describes the fault of a product, and what to do; null: it has none. */
export function problemOf(product: Omit<Product, 'passage' | 'problem'>): string | null {
  const { paired, status, errors, battery, clock_off_s, key_fault, credential_days_left: days } = product;
  if (!paired || key_fault === 'none') return 'not paired: pair it in the console of the cloud';
  if (key_fault === 'other') return 'it is heard, but has another key: pair it anew in the console of the cloud';
  const saysLow = isBatteryLow(battery) && !errors.includes('battery_empty');
  const found = [
    status === 'online' ? [] : lostWords(product),
    key_fault === 'refused' ? "it refuses this gateway's key: pair it anew in the console of the cloud" : [],
    errors.map((error) => ERROR_WORDS[error]),
    saysLow ? `its battery is at ${battery} %: charge or change it` : [],
    clock_off_s === null ? [] : `its clock is ${wrongClock(-clock_off_s)}: the cloud sets it when it is connected`,
    product.is_credential_low ? `ONLY ${days ?? 0} days: connect the gateway to its cloud` : [],
  ].flat();
  return found.length === 0 ? null : found.join('; ');
}

function lostWords({ seen_ago_s: seen }: Pick<Product, 'seen_ago_s'>): string {
  const since = seen === null ? 'since the gateway started' : `for ${durationWords(seen)}`;
  return `NOT HEARD ${since}: is it in range, and has it power?`;
}

/** @param behindS seconds; below 0: ahead */
export const wrongClock = (behindS: number): string =>
  `WRONG: ${Math.abs(behindS)} s ${behindS < 0 ? 'ahead' : 'behind'}`;
