/** A program that is killed inside a change: `node cloud-store-crasher.js URL`. */
import { openCloudStore } from '../../cloud/kernel/store/open-cloud-store.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { accountRow } from './account-row.js';

const store = await openCloudStore({ url: process.argv[2] ?? '', clock: systemClock, logger: silentLogger });
await store.change(async (tx) => {
  await tx.insertInto('accounts').values(accountRow('never committed')).execute();
  process.stdout.write('inserted\n');
  await new Promise(() => {});
});
