/**
 * Keys by mail that a site file declares: they have a weblink and are mailed like those that people give over REST. They have no operation
 * key, by which they stay the file's.
 */
import { type Db, generateWeblinkId } from '../../kernel/entry.js';
import { insertKeyWeblinks, keysToSend, keysWithoutWeblink } from './issue-queries.js';
import { sendKeys } from './send-keys.js';

/** Gives those of the keys a weblink that are by mail and have none. */
export async function giveWeblinks(tx: Db, given: { key_log_ids: readonly number[]; now: number }): Promise<void> {
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

/** Queues the mails of keys that were just made. */
export async function sendDeclaredKeys(tx: Db, made: { key_log_ids: readonly number[]; now: number }): Promise<void> {
  await giveWeblinks(tx, made);
  await sendKeys(tx, await keysToSend(tx, made), made.now);
}
