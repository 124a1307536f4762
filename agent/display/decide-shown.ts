/** Decides what a display has to show, from the zones that the gateway counts. */
import { countZones } from '../../shared/display/count-zones.js';
import { decideDisplayText } from '../../shared/display/decide-display-text.js';
import type { DisplayItem } from '../../shared/gateway-config.js';

/** The occupancy of a zone. */
export interface CountedZone {
  name: string;
  /** 0: unlimited. */
  spot_count: number;
  occupied: number;
  /** Whether the count is known: the sensors are heard, or no other gateway can change the sessions unnoticed. */
  is_known: boolean;
}

/** @param facts.zones that the display counts; empty: not known yet */
export function decideShown(
  display: Pick<DisplayItem, 'zone_id' | 'rules' | 'stale_text'>,
  facts: { zones: readonly CountedZone[]; lot: string; at_ms: number },
): { text: string; is_stale: boolean } {
  const { zones, lot, at_ms } = facts;
  if (zones.length === 0 || zones.some(({ is_known }) => !is_known)) {
    return { text: display.stale_text, is_stale: true };
  }
  const { text } = decideDisplayText(display, {
    ...countZones(zones),
    zone: display.zone_id === null ? '' : (zones[0]?.name ?? ''),
    lot,
    at_ms,
  });
  return { text, is_stale: false };
}
