/** The last report of each gateway's products, noted when the cloud has handled it. */
import type { CloudDeps } from '../../../cloud/ground.js';
import type { Clock } from '../../../shared/clock.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { gatewayReportSchema } from '../../../shared/uplink-reports.js';

export interface HeardReport {
  /** On the monotonic clock, when the cloud had stored it. */
  atMs: number;
  /** device_ids of the products that the gateway hears. */
  online: ReadonlySet<string>;
}

/** The last report of a gateway's products; null: none yet. */
export type HeardReports = (uuid: GatewayUuid) => HeardReport | null;

/** @returns the broker to give to the cloud, and what it hears from then on */
export function noteReports(
  broker: CloudDeps['broker'],
  clock: Clock,
): { broker: CloudDeps['broker']; heard: HeardReports } {
  const reports = new Map<GatewayUuid, HeardReport>();
  return {
    heard: (uuid) => reports.get(uuid) ?? null,
    broker: {
      ...broker,
      get ready() {
        return broker.ready;
      },
      onMessage: (listener) =>
        broker.onMessage(async (message) => {
          await listener(message);
          if (message.channel !== 'report') return;
          const report = gatewayReportSchema.safeParse(JSON.parse(new TextDecoder().decode(message.payload)));
          // Cameras are reported apart from products.
          if (!report.success || report.data.products.length === 0) return;
          const online = report.data.products.filter(({ status }) => status === 'online');
          reports.set(message.uuid, {
            atMs: clock.monotonic(),
            online: new Set(online.map(({ device_id }) => device_id)),
          });
        }),
    },
  };
}
