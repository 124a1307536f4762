/**
 * Makes four weeks of history in the demo's new database, before its cloud starts: `node dist/scripts/make-history.js SITE_FILE`, with the cloud's
 * settings in the environment. A database that has been made without a history is left alone.
 */
import '../shared/node/connection-attempts.js';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { MIGRATIONS } from '../cloud/all-migrations.js';
import { loadCloudConfig, publicAddresses } from '../cloud/config.js';
import { createPasswords } from '../cloud/kernel/secrets/passwords.js';
import { requireServerKey } from '../cloud/kernel/secrets/require-server-key.js';
import { createSecrets } from '../cloud/kernel/secrets/secrets.js';
import { loadServerKey } from '../cloud/kernel/secrets/server-key.js';
import { applySite } from '../cloud/doors/site-file/apply-site.js';
import { readSiteFile } from '../cloud/doors/site-file/read-site-file.js';
import { openCloudStore } from '../cloud/kernel/store/open-cloud-store.js';
import { systemClock } from '../shared/system-clock.js';
import { trafficLotsOf } from './sim/traffic/traffic-lots.js';
import { createPastClock, writeHistory } from './demo/history/write-history.js';

const WEEKS_MS = 4 * 7 * 24 * 3_600_000;
const SEED = 1;
/** Fewer came then than come now: the first start waits for all that is written. */
const BUSY_SHARE = 0.6;

/** The state beside the database, so that an ended run is gone on with, and a finished one not repeated. */
interface Noted {
  seed: number;
  until_ms: number;
  isDone: boolean;
}

const [siteFile = ''] = process.argv.slice(2);
const config = loadCloudConfig({ workingDirectory: process.cwd() });
const noteFile = join(config.dataDir, 'history.json');
const readNote = (): Noted | null =>
  existsSync(noteFile) ? (JSON.parse(readFileSync(noteFile, 'utf8')) as Noted) : null;
const writeNote = (note: Noted) => writeFileSync(noteFile, JSON.stringify(note));

async function main(): Promise<void> {
  mkdirSync(config.dataDir, { recursive: true });
  const isNew = !existsSync(join(config.dataDir, 'cloud.db'));
  const note = readNote() ?? (isNew ? { seed: SEED, until_ms: systemClock.now(), isDone: false } : null);
  if (note === null || note.isDone) return;
  writeNote(note);
  const logger = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const clock = createPastClock();
  clock.set(note.until_ms - WEEKS_MS);
  const site = readSiteFile(siteFile, readFileSync(siteFile, 'utf8'));
  const [lot] = trafficLotsOf(site.site);
  if (lot === undefined) return;
  const secrets = createSecrets(loadServerKey(config));
  const store = await openCloudStore({ url: config.databaseUrl, clock, logger, derive: secrets.derive });
  try {
    await store.migrate(MIGRATIONS);
    await requireServerKey({ clock, store, secrets }, { isNoted: true });
    const { baseUrl } = publicAddresses(config, { http: config.port, mqtt: config.mqttPort });
    const passwords = createPasswords({ pausingClock: systemClock });
    await applySite(site, { store, secrets, passwords, clock, baseUrl }, { prune: false, dryRun: false });
    const { seed, until_ms } = note;
    const imagesDirectory = join(config.dataDir, 'images');
    const began = performance.now();
    const written = await writeHistory(
      { store, imagesDirectory, clock, logger },
      { lot: { ...lot, busiest: lot.busiest * BUSY_SHARE }, seed, from_ms: until_ms - WEEKS_MS, until_ms },
    );
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    const { records, reports, payments } = written;
    console.log(`history: ${records} records, ${reports} reports, ${payments} payments in ${seconds} s (seed ${seed})`);
  } finally {
    await store.close();
  }
  writeNote({ ...note, isDone: true });
}

await main();
