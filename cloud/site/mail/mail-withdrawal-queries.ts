/** Removes ended keys from the mails that were not sent yet. */
import { inPieces } from '../../../shared/grouping.js';
import { decodeJson, encodeJson } from '../../../shared/json-text-codec.js';
import { type Db, ROWS_OF_STATEMENT_MAX } from '../../kernel/store/entry.js';
import { endedBecause } from '../../kernel/delivery/entry.js';
import type { KeyContent } from './mail-content.js';
import type { Mail } from './mail-queue-queries.js';

/** The `last_error` of a mail whose keys have all ended. It is not tried again: a receiver who gets the key again is sent another mail. */
export const WITHDRAWN = 'Its key was blocked or ended before it was sent';

/**
 * Call it in the transaction that ends the keys. A mail that also brings other keys is sent without the ended ones. A mail that is left
 * without a key counts as failed. A mail that is being handed over at this moment is not stopped.
 */
export async function withdrawKeyMails(
  tx: Db,
  ended: { operation_token_ids: readonly number[]; now: number },
): Promise<void> {
  for (const token_ids of inPieces(ended.operation_token_ids, ROWS_OF_STATEMENT_MAX)) {
    const keys = await mailedKeys(tx, token_ids);
    const gone = new Set(keys.map(({ weblink_id }) => weblink_id));
    for (const mail of await unsentMailsTo(tx, keys)) {
      // Mails of kind `key` have this content.
      const content: KeyContent = decodeJson(mail.content) as KeyContent;
      const products = content.products.filter(({ weblink }) => !gone.has(weblink.id));
      if (products.length === content.products.length) continue;
      const end = { ...endedBecause(WITHDRAWN, mail.ended_at ?? ended.now), status: 'failed' as const };
      const left = { content: encodeJson({ ...content, products }) };
      await tx
        .updateTable('mails')
        .set({ ...(products.length === 0 ? end : left), updated_at: ended.now })
        .where('id', '=', mail.id)
        .execute();
    }
  }
}

interface MailedKey {
  account_id: number;
  receiver_identifier: string;
  weblink_id: string;
}

/** Finds those of the keys that were sent by mail, with their weblinks. */
const mailedKeys = (db: Db, token_ids: readonly number[]): Promise<MailedKey[]> =>
  db
    .selectFrom('key_logs')
    .innerJoin('weblinks', 'weblinks.operation_token_id', 'key_logs.operation_token_id')
    .select(['key_logs.account_id', 'key_logs.receiver_identifier', 'weblinks.id as weblink_id'])
    .where('key_logs.operation_token_id', 'in', token_ids)
    .where('key_logs.receiver_identifier_type', '=', 'email')
    .execute();

/** Finds the mails with keys to their receivers that wait or failed. */
async function unsentMailsTo(db: Db, keys: readonly MailedKey[]): Promise<Pick<Mail, 'id' | 'content' | 'ended_at'>[]> {
  if (keys.length === 0) return [];
  return db
    .selectFrom('mails')
    .select(['id', 'content', 'ended_at'])
    .where('receiver_email', 'in', [...new Set(keys.map(({ receiver_identifier }) => receiver_identifier))])
    .where('account_id', 'in', [...new Set(keys.map(({ account_id }) => account_id))])
    .where('kind', '=', 'key')
    .where('status', '!=', 'sent')
    .orderBy('id')
    .execute();
}
