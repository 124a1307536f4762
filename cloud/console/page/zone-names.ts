/** What zones are called where those of several lots stand beside each other. */
import { lots, zoneOf } from './store.js';

/** Zones of several lots may be called the same. */
export function zoneName(id: number): string {
  const zone = zoneOf(id);
  const lot = lots.value.find((each) => each.id === zone?.lot_id);
  return zone === undefined ? '–' : lots.value.length > 1 ? `${lot?.name ?? '–'}: ${zone.name}` : zone.name;
}
