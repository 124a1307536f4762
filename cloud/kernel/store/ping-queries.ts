import { sql } from 'kysely';
import type { Clock, Timer } from '../../../shared/clock.js';
import { type Db, StoreError } from './cloud-store.js';

/** A load balancer asks every few seconds, and does not wait for longer. */
const ANSWER_MS_MAX = 3_000;

/** @throws StoreError when the database does not answer within three seconds */
export async function pingDatabase(db: Db, clock: Clock): Promise<void> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = clock.setTimer(ANSWER_MS_MAX, () => reject(new StoreError('io', 'The database does not answer')));
  });
  try {
    await Promise.race([sql`select 1`.execute(db), late]);
  } finally {
    timer?.cancel();
  }
}
