/** Parses the words of cameras for the types of vehicles. */
import type { VehicleType } from '../camera.js';

const WORDS: Readonly<Record<VehicleType, string>> = {
  car: 'car vehicle smallcar minicar saloon salooncar sedan coupe hatchback suvmpv suv mpv wagon convertible passengercar sedancar motorcar taxi pickup',
  van: 'van minivan microvan smallvan',
  bus: 'bus largebus mediumbus minibus coach passengerbus',
  truck:
    'truck buggy pickuptruck lighttruck mediumtruck heavytruck mediumheavytruck containertruck concretemixer slagtruck oiltanktruck platformtrailer crane lorry bigtruck largetruck smalltruck trailer tractortrailer',
  motorcycle: 'motorcycle motorbike twowheelvehicle motor bike scooter',
};

const TYPES: ReadonlyMap<string, VehicleType> = new Map(
  Object.entries(WORDS).flatMap(([type, words]) =>
    words.split(' ').map((word) => [word, type as VehicleType] as const),
  ),
);

/** Accepts any case, blanks, dashes and underscores; null: the word names no type that this system knows. */
export const vehicleType = (text: string): VehicleType | null =>
  TYPES.get(
    text
      .slice(0, 64)
      .toLowerCase()
      .replace(/[\s_-]/g, ''),
  ) ?? null;
