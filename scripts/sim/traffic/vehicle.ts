/** Vehicles of the traffic: a plate, and a camera's description of the vehicle. */
import type { VehicleRead } from '../cameras/camera-vendor.js';
import { type Chance, createChance } from './chance.js';

export interface Vehicle {
  /** Letters and digits alone. */
  plate: string;
  isMember: boolean;
  type: NonNullable<VehicleRead['type']>;
  make: string;
  color: string;
  /** ISO 3166, two letters. */
  country_code: string;
}

const MAKES = ['Skoda', 'Volkswagen', 'Renault', 'Opel', 'Toyota', 'Ford', 'Fiat', 'Hyundai', 'BMW', 'Dacia'];
const COLORS = ['white', 'gray', 'black', 'gray', 'white', 'blue', 'red', 'green', 'brown', 'yellow'];
const TYPES = ['car', 'car', 'car', 'car', 'car', 'car', 'car', 'van', 'van', 'truck', 'motorcycle'] as const;
const TOWNS = ['ST', 'ST', 'ST', 'ZG', 'ZG', 'RI', 'ZD', 'SI', 'DU', 'OS'];
const LETTERS = 'ABCDEFGHJKLMNPRSTUVZ';

/** The same plate always bears the same vehicle. */
export function vehicleOf(plate: string, { isMember }: { isMember: boolean }): Vehicle {
  const chance = createChance(0, plate);
  return {
    plate,
    isMember,
    type: isMember ? 'car' : chance.pick(TYPES),
    make: chance.pick(MAKES),
    color: chance.pick(COLORS),
    country_code: /^(ZG|ST|RI|ZD|SI|DU|OS)\d/.test(plate) ? 'HR' : plate.startsWith('LJ') ? 'SI' : 'DE',
  };
}

/** A plate as at the Adriatic: most are Croatian, some Slovenian or German. */
export function makePlate(chance: Chance): string {
  const letters = (count: number) => Array.from({ length: count }, () => chance.pick([...LETTERS])).join('');
  const digits = (count: number) => Array.from({ length: count }, () => String(chance.whole(10))).join('');
  const kind = chance.share();
  if (kind < 0.12) return `M${letters(2)}${digits(4)}`;
  if (kind < 0.22) return `LJ${letters(2)}${digits(3)}`;
  return `${chance.pick(TOWNS)}${digits(chance.happens(0.6) ? 4 : 3)}${letters(2)}`;
}

const CONFUSED: Readonly<Record<string, string>> = { '0': 'O', '8': 'B', B: '8', '5': 'S', S: '5', '1': 'I', '2': 'Z' };

/** The plate with one character misread as a similar one; the plate itself if it has none that can be misread. */
export function confusedPlate(plate: string): string {
  const at = [...plate].findIndex((letter) => letter in CONFUSED);
  return at === -1 ? plate : plate.slice(0, at) + (CONFUSED[plate[at] ?? ''] ?? '') + plate.slice(at + 1);
}

/** The plate without its last characters, as if a tow bar hid them. */
export const coveredPlate = (plate: string): string => plate.slice(0, Math.max(3, plate.length - 3));
