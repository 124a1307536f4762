/**
 * Keys by mail that a site file declares. They get a weblink and are mailed like keys that are created by REST. They have no operation key,
 * so that only the site file changes them.
 */
import type { Db } from '../../kernel/store/entry.js';
import { generateWeblinkId } from '../../kernel/secrets/entry.js';
import { insertKeyWeblinks, keysToSend, keysWithoutWeblink } from './issue-queries.js';
import { sendKeys } from './send-keys.js';

/** Gives a weblink to those of the keys that are by mail and have none. */
async function giveWeblinks(tx: Db, given: { key_log_ids: readonly number[]; now: number }): Promise<void> {
  const keys = await keysWithoutWeblink(tx, given.key_log_ids);
  const times = { created_at: given.now, updated_at: given.now };
  await insertKeyWeblinks(
    tx,
    keys.map((key) => ({
      ...key,
      ...times,
      id: generateWeblinkId(),
      operations: ['open', 'close'],
      used_count: 0,
      generation: 0,
      last_event_id: null,
      revoked_at: null,
    })),
  );
}

/** Queues the mails of keys that were just created. */
export async function sendDeclaredKeys(tx: Db, made: { key_log_ids: readonly number[]; now: number }): Promise<void> {
  await giveWeblinks(tx, made);
  await sendKeys(tx, await keysToSend(tx, made), made.now);
}
