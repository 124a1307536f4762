import type { GatewayReport } from '../../shared/uplink-reports.js';

/**
 * Sends one report at a time, and keeps only the latest of those that are offered meanwhile.
 * @param publish sends a report; settles when the next one may follow
 */
export function createReportSlot(publish: (report: GatewayReport) => Promise<void>) {
  let isBusy = false;
  let latest: GatewayReport | null = null;
  async function sendAll(): Promise<void> {
    isBusy = true;
    while (latest !== null) {
      const report = latest;
      latest = null;
      // A report that did not arrive is not logged: the next one follows.
      await publish(report).catch(() => undefined);
    }
    isBusy = false;
  }
  return {
    offer(report: GatewayReport): void {
      latest = report;
      if (!isBusy) void sendAll();
    },
  };
}
