/** What a status that somebody sets means for the token of a key log (REST contract, "Key logs"). */
import type { KeyLogStatus } from './key-log-payload.js';
import type { TokenStatus } from './operation-token-payload.js';

const TOKEN_STATUS: Readonly<Record<KeyLogStatus, TokenStatus>> = {
  active: 'active',
  reactived: 'active',
  blocked: 'blocked',
  deleted: 'blocked',
  invalid: 'invalid',
  depleted: 'expired',
  expired: 'expired',
};

export type KeyStatusDecision =
  /** Why the status cannot be set, after the field's name. */
  | { problem: string }
  /** `isNew`: the token becomes active again, with other credentials. */
  | { tokenStatus: TokenStatus; isNew: boolean };

export function decideKeyStatus(
  token: { status: TokenStatus; end_time: number | null },
  wanted: { status: KeyLogStatus; hasProduct: boolean; now: number },
): KeyStatusDecision {
  const { status, hasProduct, now } = wanted;
  const tokenStatus = TOKEN_STATUS[status];
  if (tokenStatus !== 'active') return { tokenStatus, isNew: false };
  // Whatever it was set to meanwhile: there is nothing that it could open.
  if (!hasProduct) return { problem: 'Its product was removed: make a key of another one' };
  if (token.status === 'invalid') return { problem: 'The key is invalid: make another one' };
  if (token.end_time !== null && token.end_time <= now) return { problem: 'Its window is over: make another key' };
  return { tokenStatus, isNew: token.status !== 'active' };
}
