/** Changes keys: their name, status and end. */
import { ApiError, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import { generateCredentialId } from '../../kernel/secrets/entry.js';
import { LOCKS, type Tx } from '../../kernel/store/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import { denyCredentials } from '../../equipment/entry.js';
import { withdrawKeyMails } from '../../site/entry.js';
import type { ConfigChanged } from '../../rest/entry.js';
import {
  type ChangedKey,
  findKeyToChange,
  productIdsOfKeys,
  removeKeyLog,
  renameKey,
  saveKeyStatus,
} from './key-queries.js';
import { decideKeyStatus } from './decide-key-status.js';
import type { KeyLogStatus } from './key-log-fields.js';

export interface KeyChangeDeps {
  configChanged: ConfigChanged;
  /** Has the products told which credentials they must refuse. */
  keysDenied(product_ids: Iterable<number>): void;
}

export interface KeyChange {
  name?: string | undefined;
  status?: KeyLogStatus | undefined;
}

/**
 * Changes one key in this transaction. When a key is no longer active, its mails are no longer sent, and its product refuses it as soon as a
 * gateway has told the product.
 * @throws ApiError NOT_FOUND for a deleted key; VALIDATION on `status` for a change that is not possible
 */
export async function changeKey(
  tx: Tx,
  { configChanged, keysDenied }: KeyChangeDeps,
  change: { id: number; now: number } & KeyChange,
): Promise<void> {
  const { id, now, name, status } = change;
  const { log, token, product } = await lockKey(tx, id);
  const operation_token_id = token.id;
  noteAudit(tx, { lot_id: product?.lot_id ?? null });
  const decision = status === undefined ? null : decideKeyStatus(token, { status, hasProduct: product !== null, now });
  if (decision !== null && 'problem' in decision) {
    throw new ApiError(VALIDATION, { field: 'status', message: decision.problem });
  }
  if (name !== undefined) await renameKey(tx, { operation_token_id, name, now });
  if (status === undefined || decision === null) return;
  if (status === 'deleted') await removeKeyLog(tx, { id, now });
  else {
    const { tokenStatus, isNew } = decision;
    if (tokenStatus !== 'active') await denyCredentials(tx, { operation_token_ids: [operation_token_id], now });
    const credentials = isNew ? { credential_id: generateCredentialId() } : {};
    await saveKeyStatus(tx, { operation_token_id, status, tokenStatus, ...credentials, now });
    if (tokenStatus !== 'active') await withdrawKeyMails(tx, { operation_token_ids: [operation_token_id], now });
  }
  tx.onCommit(() => {
    if (log.plate_normalised !== null && product !== null) configChanged({ lot_id: product.lot_id }, ['plates']);
    if (decision.tokenStatus !== 'active') keysDenied([log.product_id]);
  });
}

/** Locks the keys of all products to which these keys belong. Transactions with many changes thus take their locks in the same order. */
export async function lockKeys(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.lock(...(await productIdsOfKeys(tx, ids)).map(LOCKS.productKeys));
}

/** Reads a key after locking it, so that neither the key nor its product can be changed by others until the transaction ends. */
async function lockKey(tx: Tx, id: number): Promise<ChangedKey> {
  const seen = await findKeyToChange(tx, id);
  if (seen === null) throw new ApiError(NOT_FOUND);
  await tx.lock(LOCKS.productKeys(seen.log.product_id));
  const key = await findKeyToChange(tx, id);
  if (key === null) throw new ApiError(NOT_FOUND);
  return key;
}
