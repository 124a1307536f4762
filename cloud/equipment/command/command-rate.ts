/** Limits how many commands a product may be given in a minute, over all processes. */
import { decodeJson } from '../../../shared/json-text-codec.js';
import type { Db } from '../../kernel/store/entry.js';
import { RetryLaterError } from '../../kernel/limit/entry.js';
import { commandsSince } from './command-queries.js';
import type { OrderedCommand } from './ordered-command.js';

const WINDOW_MS = 60_000;

export interface WantedCommand {
  product_id: number;
  command: OrderedCommand;
  /** 0: no limit. */
  perMin: number;
  /** Wall milliseconds. */
  now: number;
}

/** @throws RetryLaterError, code 429, when the limit is reached. The transaction holds the lock of the product's pending commands. */
export async function requireCommandLeft(db: Db, { product_id, command, perMin, now }: WantedCommand): Promise<void> {
  if (perMin === 0 || !isLimited(command)) return;
  const since = now - WINDOW_MS;
  const given = (await commandsSince(db, { product_id, since })).filter((row) => isLimited(decodeJson(row.command)));
  const oldest = given[given.length - perMin];
  if (oldest === undefined) return;
  throw new RetryLaterError(429, { retryAfterS: Math.max(1, Math.ceil((oldest.created_at - since) / 1_000)) });
}

/** Commands that open are never limited, because a driver is waiting. */
const isLimited = ({ name }: OrderedCommand): boolean => name !== 'open' && name !== 'stay_open';
