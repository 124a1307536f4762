/** The plates that both sides of the plate benchmark know. */
export const KNOWN_PLATES = 50_000;

/** Plate number `index`, as a camera writes it. */
export const knownPlate = (index: number): string => `ZG${String(index).padStart(5, '0')}K`;
