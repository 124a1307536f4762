/** Deletes the records of alert mails that no alert needs any more. */
import type { CloudStore } from '../../kernel/store/entry.js';
import { deleteAlertMails, spentAlertMails } from './alert-mail-queries.js';
import { MINUTES_BETWEEN_MAILS_MAX } from './alert-fields.js';

const PRUNED_PER_TRANSACTION = 500;

/** @param now wall milliseconds */
export async function pruneAlertMails(store: Pick<CloudStore, 'reader' | 'change'>, now: number): Promise<void> {
  const mailedUntil = now - MINUTES_BETWEEN_MAILS_MAX * 60_000;
  let ids: number[] = [];
  do {
    // The search runs outside of the transaction, because it would block all other transactions.
    ids = await spentAlertMails(store.reader, { mailedUntil, after: ids.at(-1) ?? 0, limit: PRUNED_PER_TRANSACTION });
    const spent = { ids, mailedUntil: now };
    if (ids.length > 0) await store.change((tx) => deleteAlertMails(tx, spent));
  } while (ids.length === PRUNED_PER_TRANSACTION);
}
