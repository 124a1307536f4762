/** The cloud of the replay benchmark, in its own process, with 100,000 events in its journal. It answers with its memory when asked. */
import { API_TOKEN, seedSite } from '../integration/http/http-site.js';
import { startCloudWorld } from '../integration/http/http-world.js';
import { serveParent } from './harness.js';
import { fanOutPayload } from './fan-out-event.js';

const EVENTS = 100_000;
const PER_COMMIT = 1_000;
const LOOK_EVERY_MS = 5;

const cloud = await startCloudWorld();
const { harbour, north } = await seedSite(cloud.store);
for (let first = 1; first <= EVENTS; first += PER_COMMIT) {
  await cloud.store.change(async (tx) => {
    for (let id = first; id < first + PER_COMMIT; id++) {
      const payload = fanOutPayload(id);
      tx.journal({ account_id: harbour, lot_id: north, event: 'plate_reading_update', payload });
    }
  });
}
let peak = 0;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, LOOK_EVERY_MS);
serveParent(
  { base: cloud.base, token: API_TOKEN, events: EVENTS },
  {
    /** @returns the highest memory since the last question, in bytes */
    answer() {
      const highest = Math.max(peak, process.memoryUsage.rss());
      peak = 0;
      return highest;
    },
    end: () => cloud.close(),
  },
);
