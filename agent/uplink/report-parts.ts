import { REPORTED_MAX } from '../../shared/uplink-bounds.js';
import type { GatewayReport } from '../../shared/uplink-reports.js';

/** Splits a report that tells of more than the cloud reads at once. Nearly always there is one part. */
export function partsOfReport(report: GatewayReport): GatewayReport[] {
  const { products, cameras, parking_gateways, silent_sensors, displays, health } = report;
  const lists = [products, cameras, parking_gateways, silent_sensors, displays];
  const longest = Math.max(...lists.map((list) => list?.length ?? 0));
  if (longest <= REPORTED_MAX) return [report];
  const parts: GatewayReport[] = [];
  for (let from = 0; from < longest; from += REPORTED_MAX) {
    const part = <T>(list: T[]): T[] => list.slice(from, from + REPORTED_MAX);
    parts.push({
      products: part(products),
      ...(cameras === undefined ? {} : { cameras: part(cameras) }),
      ...(parking_gateways === undefined ? {} : { parking_gateways: part(parking_gateways) }),
      ...(silent_sensors === undefined ? {} : { silent_sensors: part(silent_sensors) }),
      ...(health === undefined || from > 0 ? {} : { health }),
      ...(displays === undefined ? {} : { displays: part(displays) }),
    });
  }
  return parts;
}
