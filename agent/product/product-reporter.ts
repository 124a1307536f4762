import { type Clock, every, type Timer } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { GatewayReport, ProductReport } from '../../shared/uplink-reports.js';
import type { ProductWatch } from './product-watch.js';

/** A report must follow the end of a movement within 2 s (realtime contract, "Delivery"). Changes within this time share one report. */
const GATHER_MS = 250;

/** How long after its start a gateway reports nothing of a product that it has not heard: the product may be there. */
const LISTEN_FIRST_MS = 60_000;

/** Sends a report of all products every `intervalMs`, and soon after something changed. */
export function createProductReporter(deps: {
  watch: ProductWatch;
  clock: Clock;
  logger: Logger;
  intervalMs: number;
  publish(report: GatewayReport): void;
}): { reportSoon(): void; close(): void } {
  const { watch, clock, logger, intervalMs, publish } = deps;
  let gathering: Timer | null = null;
  let isClosed = false;
  const beganMs = clock.monotonic();
  const isDecided = ({ seen_ago_ms, unproven }: ProductReport): boolean =>
    seen_ago_ms !== null || unproven !== undefined || clock.monotonic() - beganMs >= LISTEN_FIRST_MS;

  const report = () => {
    gathering?.cancel();
    gathering = null;
    const products = watch.reports().filter(isDecided);
    if (products.length > 0) publish({ products });
  };
  const onError = (error: unknown) => logger.error({ err: error }, 'the report of the products failed');
  const reportSoon = () => {
    if (isClosed) return;
    gathering ??= clock.setTimer(GATHER_MS, () => {
      try {
        report();
      } catch (error) {
        onError(error);
      }
    });
  };
  const stopWatching = watch.onChange(reportSoon);
  const periodic = every({ clock, periodMs: intervalMs, work: report, onError });
  const sweeping = every({ clock, periodMs: 5_000, work: () => watch.sweep(), onError });

  return {
    reportSoon,
    close() {
      isClosed = true;
      stopWatching();
      periodic.cancel();
      sweeping.cancel();
      gathering?.cancel();
    },
  };
}
