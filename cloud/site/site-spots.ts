/** Places in a site file as it was read, of any shape: how its checks find their way and tell what is wrong. */
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import type { SitePath } from './site-schema.js';

/** A place in the file and what stands there. */
export interface Spot {
  path: SitePath;
  value: unknown;
}

export type Report = (spot: Spot, reason: string) => void;

export function unique(
  spots: Spot[],
  key: string,
  what: string,
  report: Report,
  options: { atItem?: true } = {},
): void {
  const seen = new Set<string>();
  for (const spot of spots) {
    const place = field(spot, key);
    const value = textOf(place);
    if (value === undefined) continue;
    const compared = key.endsWith('email') ? value.toLowerCase() : value;
    const shown = key === 'token' || key === 'claim_code' ? 'this' : value;
    if (seen.has(compared)) report(options.atItem ? spot : place, `another ${what} has ${shown} already`);
    seen.add(compared);
  }
}

/** Plates are the same however they are written. */
export function uniquePlates(plates: Spot[], what: string, report: Report): void {
  const compared = plates.map((plate) => {
    return { path: plate.path, value: { plate: normalisePlate(textOf(plate) ?? '') || undefined } };
  });
  unique(compared, 'plate', what, report, { atItem: true });
}

export function refer(references: Spot[], what: string, names: ReadonlySet<string>, report: Report, where = ''): void {
  for (const reference of references) {
    const name = textOf(reference);
    if (name !== undefined && !names.has(name)) report(reference, `there is no ${what} ${name}${where}`);
  }
}

export function field(spot: Spot, key: string): Spot {
  const value =
    typeof spot.value === 'object' && spot.value !== null && Object.hasOwn(spot.value, key)
      ? (spot.value as Record<string, unknown>)[key]
      : undefined;
  return { path: [...spot.path, key], value };
}

/** The items of a list; none when there is no list. */
export function items(spot: Spot, key: string): Spot[] {
  const { path, value } = field(spot, key);
  return Array.isArray(value) ? value.map((item: unknown, index) => ({ path: [...path, index], value: item })) : [];
}

export function descend(spots: Spot[], ...keys: string[]): Spot[] {
  return keys.reduce((found, key) => found.flatMap((spot) => items(spot, key)), spots);
}

export function textOf({ value }: Spot): string | undefined {
  return typeof value === 'string' ? value.trim() : undefined;
}

export function textsOf(spots: Spot[], key: string): ReadonlySet<string> {
  return new Set(spots.flatMap((spot) => textOf(field(spot, key)) ?? []));
}
