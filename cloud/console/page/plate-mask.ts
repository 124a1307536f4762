/** Whether plates are masked, and which ones this tab has asked for. What was asked for is forgotten with the tab. */
import { signal } from '@preact/signals';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { maskedPlate } from '../wording/masked-plate.js';
import { client } from './session.js';

/** Whose plates they are, by its list at the service. */
export interface PlateOwner {
  list: 'plate-readings' | 'sessions' | 'members' | 'license-plate-alerts' | 'key-logs' | 'lots';
  id: number;
}

/** Of the account. Until it is known, plates are masked. */
export const masksPlates = signal(true);

const revealed = signal<ReadonlySet<string>>(new Set());

export function forgetRevealed(): void {
  masksPlates.value = true;
  revealed.value = new Set();
}

/** The name of a picture without a plate, to ask for it like for one. The service knows it by its lot alone. */
export const sightingName = (id: number): string => `sighting ${id}`;

export function isMasked(plate: string): boolean {
  const name = normalisePlate(plate);
  return masksPlates.value && name !== '' && !revealed.value.has(name);
}

/** The plate, or what is shown of it. */
export const shownPlate = (plate: string): string => (isMasked(plate) ? maskedPlate(plate) : plate);

export interface AskedPlates {
  of: PlateOwner;
  plates: readonly string[];
}

/** Asks for plates, which the audit log keeps; they are shown everywhere from then on. Throws as the client does. */
export async function reveal({ of: { list, id }, plates }: AskedPlates): Promise<void> {
  await client().post(`/v2/${list}/{id}/reveal`, { path: { id } });
  revealed.value = new Set([...revealed.value, ...plates.map(normalisePlate)]);
}
