/** What gateways report of the things around them beside their own state. Pure. */
import { decodeJson, type JsonText } from '../../../shared/json-text-codec.js';
import type { GatewayHealthReport, ThingFault } from '../../../shared/uplink-reports.js';

/** @param health as the gateway reported it last; null: it never did. @returns why a thing does not work; null: its gateway knows nothing against it */
export function reportedFault(
  health: JsonText<GatewayHealthReport> | null,
  { kind, id }: Pick<ThingFault, 'kind' | 'id'>,
): string | null {
  const faults = health === null ? [] : (decodeJson(health).faults ?? []);
  return faults.find((fault) => fault.kind === kind && fault.id === id)?.problem ?? null;
}
