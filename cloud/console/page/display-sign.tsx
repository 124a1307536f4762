/** A display as it stands at the road, and what its parts are. */
import type { components } from '@parking-gateway/client';
import { words } from './browser.js';
import { zones } from './store.js';

export type Display = components['schemas']['RgbDisplay'];
export type DisplayRule = components['schemas']['RgbDisplayRule'];

/** The zones whose vehicles a display counts. */
export const zonesCountedBy = ({ zone_id, lot_id }: Display) =>
  zones.value.filter((zone) => (zone_id === null ? zone.lot_id === lot_id : zone.id === zone_id));

export function SignText({ text, label }: { text: string; label: string }) {
  return (
    <p class="sign-text" role="img" aria-label={`${label}: ${text || words.displays.blank}`}>
      {text === '' ? '\u00A0' : text}
    </p>
  );
}
