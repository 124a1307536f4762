/** Decides what a status that is set on a key log means for its token (REST contract, "Key logs"). */
import type { KeyLogStatus } from './key-log-fields.js';
import type { TokenStatus } from './operation-token-fields.js';

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
  /** Why the status cannot be set; the text follows the field's name. */
  | { problem: string }
  /** `isNew`: the token becomes active again and gets new credentials. */
  | { tokenStatus: TokenStatus; isNew: boolean };

export function decideKeyStatus(
  token: { status: TokenStatus; end_time: number | null },
  wanted: { status: KeyLogStatus; hasProduct: boolean; now: number },
): KeyStatusDecision {
  const { status, hasProduct, now } = wanted;
  const tokenStatus = TOKEN_STATUS[status];
  if (tokenStatus !== 'active') return { tokenStatus, isNew: false };
  // A key without a product opens nothing, so it cannot become active again.
  if (!hasProduct) return { problem: 'Its product was removed: make a key of another one' };
  if (token.status === 'invalid') return { problem: 'The key is invalid: make another one' };
  if (token.end_time !== null && token.end_time <= now) return { problem: 'Its window is over: make another key' };
  return { tokenStatus, isNew: token.status !== 'active' };
}
