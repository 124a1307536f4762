/** Checks each minute which zones' sensors and sessions differ too much, and stores since when. */
import { type Clock, every } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { decideDiffers } from './decide-drift.js';
import { differingZones, forgetDiffers, noteDiffers, zonesWithSensors } from './drift-queries.js';
import { countsOfZones } from './occupancy-queries.js';

const PERIOD_MS = 60_000;

/** Every cloud process may do this: the first stored time of a zone is kept. @returns a function that stops the watch */
export function startDriftWatch(deps: { store: CloudStore; clock: Clock; logger: Logger }): { close(): Promise<void> } {
  const { store, clock, logger } = deps;
  let looking: Promise<void> = Promise.resolve();
  const timer = every({
    clock,
    periodMs: PERIOD_MS,
    work: () => (looking = look(store, clock.now())),
    onError: (error) => logger.error({ err: error }, 'the counts of zones could not be compared'),
  });
  return {
    async close() {
      timer.cancel();
      await looking.catch(() => {});
    },
  };
}

async function look(store: CloudStore, now: number): Promise<void> {
  const zones = await zonesWithSensors(store.reader);
  const counts = await countsOfZones(store.reader, zones, now);
  const differing = new Set(
    zones.flatMap(({ id, spot_count }) => {
      const counted = counts.get(id);
      return counted !== undefined && decideDiffers(counted, spot_count) ? id : [];
    }),
  );
  const noted = new Set(await differingZones(store.reader));
  const begun = [...differing].filter((id) => !noted.has(id));
  const ended = [...noted].filter((id) => !differing.has(id));
  if (begun.length === 0 && ended.length === 0) return;
  await store.change(async (tx) => {
    await noteDiffers(tx, begun, now);
    await forgetDiffers(tx, ended);
  });
}
