/**
 * The cloud as `main.ts` puts it together, which dies after one of its changes is committed and before anybody is told of it.
 * Argument: after which change of this process; 0: it does not die by itself.
 */
import { pino } from 'pino';
import { createCloud } from '../../../cloud/cloud.js';
import { loadCloudConfig } from '../../../cloud/config.js';
import { createSecrets } from '../../../cloud/kernel/secrets/secrets.js';
import { loadServerKey } from '../../../cloud/kernel/secrets/server-key.js';
import { openCloudStore } from '../../../cloud/kernel/store/open-cloud-store.js';
import { systemClock } from '../../../shared/system-clock.js';
import { cloudDeps } from '../../world/cloud-deps.js';

const dieAfter = Number(process.argv[2]);
const config = loadCloudConfig({ flags: {} });
const logger = pino({ level: 'warn', base: null });
const serverKey = loadServerKey({ dataDir: config.dataDir, serverKey: config.serverKey });
const { derive } = createSecrets(serverKey);
const store = await openCloudStore({ url: config.databaseUrl, clock: systemClock, logger, derive });
let changes = 0;
// The first listener: whoever pushes hears of a change after it.
store.onEvents(() => {
  changes += 1;
  if (changes === dieAfter) process.kill(process.pid, 'SIGKILL');
});
await createCloud(config, await cloudDeps(config, { store, serverKey, logger }));
