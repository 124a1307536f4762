/**
 * The cloud of the console's benchmark, in its own process: the car park of the demo with a week behind it, and on request gateways that
 * record vehicles at a rate. It tells how many events it made.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applySite } from '../../cloud/doors/site-file/apply-site.js';
import { readSiteFile } from '../../cloud/doors/site-file/read-site-file.js';
import { recordsOfVisits } from '../../scripts/demo/history/history-reads.js';
import { readHistorySite } from '../../scripts/demo/history/history-site.js';
import { createPastClock, createSender, writeHistory } from '../../scripts/demo/history/write-history.js';
import { silentLogger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { startCloudWorld } from '../integration/http/http-world.js';
import { trafficLotsOf } from '../../scripts/sim/traffic/traffic-lots.js';
import { localDay, visitsOfDay } from '../../scripts/sim/traffic/traffic-schedule.js';
import { quickPasswords } from '../world/quick-passwords.js';
import { DAY_MS } from '../../shared/durations.js';
import { newFolder, serveParent } from './harness.js';

const SITE_FILE = 'scripts/demo-site.yaml';
const HISTORY_DAYS = 3;
const HISTORY_SEED = 1;
const PLAYED_SEED = 2;

/** The benchmark's order: so many events a second, for so long. */
export interface ConsoleOrder {
  perSecond: number;
  seconds: number;
}

const directory = newFolder();
const world = await startCloudWorld({
  directory,
  passwords: quickPasswords,
  loginFailuresPerMin: 0,
  logger: silentLogger,
});
world.clock.jumpWall(systemClock.now() - world.clock.now());
const site = readSiteFile(SITE_FILE, readFileSync(SITE_FILE, 'utf8'));
const [lot] = trafficLotsOf(site.site);
if (lot === undefined) throw new Error('the demo has no lot');
const clock = createPastClock();
const until_ms = world.clock.now();
clock.set(until_ms - HISTORY_DAYS * DAY_MS);
await applySite(
  site,
  { store: world.store, secrets: world.secrets, passwords: quickPasswords, clock, baseUrl: world.base },
  { prune: false, dryRun: false },
);
await writeHistory(
  { store: world.store, imagesDirectory: join(directory, 'images'), clock, logger: silentLogger },
  { lot, seed: HISTORY_SEED, from_ms: clock.now(), until_ms },
);

const send = createSender(PLAYED_SEED, until_ms, world.gatewayParts.ingest.apply);
let events = 0;
world.store.onEvents((notified) => {
  events += notified.length;
});

/** Days of traffic one after the other, as records that are sent as fast as their events are wanted. */
const historySite = await readHistorySite(world.store, lot);
const firstDay = localDay(lot.timezone, until_ms) + 1;
const coming = recordsOfVisits(historySite, {
  visits: Array.from({ length: 60 }, (_, day) => visitsOfDay(lot, { seed: PLAYED_SEED, day: firstDay + day })).flat(),
  seed: PLAYED_SEED,
  until_ms: Number.POSITIVE_INFINITY,
}).values();

async function play({ perSecond, seconds }: ConsoleOrder): Promise<number> {
  const before = events;
  const began = performance.now();
  for (;;) {
    const passed = (performance.now() - began) / 1_000;
    if (passed >= seconds) return events - before;
    if (events - before < passed * perSecond) {
      const { value: record } = coming.next();
      if (record === undefined) throw new Error('there is no more traffic');
      // The cloud's time is that of the traffic, so that nothing comes from the future.
      world.clock.jumpWall(Math.max(0, record.at_ms - world.clock.now()));
      await send([record]);
    } else await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

serveParent({ base: world.base }, { answer: play, end: () => world.close() });
