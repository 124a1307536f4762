/** Queues the mails that bring keys. All keys of a receiver with the same validity and lot are in one mail. */
import { groupBy, inPieces } from '../../../shared/grouping.js';
import { type NewMail, PRODUCTS_PER_MAIL_MAX, queueMails } from '../../site/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { type InvitedKey, saveInvitation } from './issue-queries.js';

/** @param now wall milliseconds */
export async function sendKeys(tx: Db, keys: readonly InvitedKey[], now: number): Promise<void> {
  const invitations = [...groupBy(keys, mailOf).values()].flatMap((group) => inPieces(group, PRODUCTS_PER_MAIL_MAX));
  const mails = invitations.flatMap((group) => mailFor(group));
  const ids = await queueMails(tx, mails, now);
  for (const [at, group] of invitations.entries()) {
    const mail_id = ids[at];
    if (mail_id === undefined) throw new Error('A mail was queued for none of the keys');
    await saveInvitation(tx, { key_log_ids: group.map(({ key_log_id }) => key_log_id), mail_id });
  }
}

/** Returns a text that is the same for keys that belong into the same mail. */
const mailOf = ({ receiver_email, sender_name, start_time, end_time, product }: InvitedKey): string =>
  JSON.stringify([receiver_email, sender_name, start_time, end_time, product.account_id, product.lot_id]);

function mailFor(keys: readonly InvitedKey[]): NewMail[] {
  const [first] = keys;
  if (first === undefined) return [];
  const { receiver_email, locale, sender_name, start_time, end_time, product } = first;
  const { account_id, lot_id, account_name, timezone, place } = product;
  const products = keys.map((key) => ({ name: key.product.name, weblink: key.weblink }));
  return [
    {
      kind: 'key',
      to: receiver_email,
      locale,
      content: { account_name, sender_name, place, start_time, end_time, timezone, products },
      account_id,
      lot_id,
    },
  ];
}
