/** Moves the time of the whole system, so that nobody takes others for gone who only slept. */
import { waitUntil } from '../wait-until.js';
import { type DoubleGateway, REPORT_INTERVAL_MS } from './double-gateway.js';
import type { HeardReports } from './heard-reports.js';
import type { MovableClock } from './movable-clock.js';

/** How long a move waits for signs of life: something may have been silent for good, so that its time runs out by the move. */
const FRESH_WITHIN_MS = 2_000;

interface Moved {
  clock: MovableClock;
  gateways: readonly DoubleGateway[];
  heard: HeardReports;
}

/** Resolves when the gateways have reported again, so that what they hear can be commanded. */
export async function moveTime(byMs: number, moved: Moved): Promise<void> {
  const { clock, gateways } = moved;
  const before = await Promise.all(gateways.map(signsOfLife));
  const isFresh = async () => {
    const now = await Promise.all(gateways.map(signsOfLife));
    return before.every((things, at) => [...things].every((thing) => now[at]?.has(thing)));
  };
  await clock.move(byMs, {
    async beforeLayer(layer) {
      if (layer === 'gateway') await soon('what gateways heard to be heard again', isFresh);
      if (layer === 'cloud') await soon('the gateways to report again', () => isReported(moved));
    },
  });
  await soon('the gateways to report again', () => isReported(moved));
}

function soon(what: string, ask: () => Promise<boolean>): Promise<unknown> {
  return waitUntil(what, ask, FRESH_WITHIN_MS).catch(() => {});
}

/**
 * Says whether the cloud has everything that the gateways recorded, and from each a report that is not older than its
 * usual interval.
 */
async function isReported({ clock, gateways, heard }: Moved): Promise<boolean> {
  const sinceMs = clock.layer('cloud').monotonic() - REPORT_INTERVAL_MS;
  const each = gateways.map(async ({ uuid, cable, status }) => {
    const { cloud, outbox, products } = await status();
    if (!cable.isPlugged || !cloud.connected) return true;
    const report = heard(uuid);
    return outbox.pending === 0 && (products.length === 0 || (report !== null && report.atMs >= sinceMs));
  });
  return (await Promise.all(each)).every(Boolean);
}

/** Lists the things that a gateway hears now: products, and places whose sensors speak. */
async function signsOfLife(gateway: DoubleGateway): Promise<Set<string>> {
  const { products, parking_gateways } = await gateway.status();
  return new Set([
    ...products.flatMap(({ device_id, status }) => (status === 'online' ? [device_id] : [])),
    ...parking_gateways.flatMap(({ name, stale_places }) => (stale_places.length === 0 ? [name] : [])),
  ]);
}
