/** Zones as the things of an account name them: by their name, and with their lot in front where several lots have it. */
import type { SiteAccount, SiteLot } from './site-schema.js';
import { field, items, type Report, type Spot, textOf, textsOf } from './site-spots.js';
import { type ThingKey, thingNames } from './site-things.js';

export interface NamedZone {
  lot: SiteLot;
  key: ThingKey;
}

/** How a checked file's account finds the zone of a name. */
export function zoneFinder(account: SiteAccount): (name: string) => NamedZone | undefined {
  const zones = account.lots.flatMap((lot) =>
    lot.zones.map((zone) => ({
      names: [zone.name, `${lot.name}/${zone.name}`],
      lot,
      key: thingNames.zones(account.name, lot.name, zone.name).key,
    })),
  );
  // A name of its own goes before one that is made of a lot's and a zone's.
  return (name) => zones.find(({ names }) => names[0] === name) ?? zones.find(({ names }) => names[1] === name);
}

/** Reports names that no zone of these lots has, or several have. @returns the lots whose zones were named */
export function referToZones(references: Spot[], lots: Spot[], report: Report): Spot[] {
  const zones = lots.map((spot) => ({
    spot,
    lot: textOf(field(spot, 'name')),
    names: textsOf(items(spot, 'zones'), 'name'),
  }));
  return references.flatMap((reference) => {
    const name = textOf(reference);
    if (name === undefined) return [];
    const found = zones.filter(({ names }) => names.has(name));
    if (found.length > 1) {
      const choices = found.map(({ lot }) => `${lot}/${name}`).join(' or ');
      report(reference, `several lots have a zone ${name}: write ${choices}`);
      return [];
    }
    const named = found[0] ?? zones.find(({ lot, names }) => [...names].some((zone) => `${lot}/${zone}` === name));
    if (named === undefined) report(reference, `there is no zone ${name}`);
    return named?.spot ?? [];
  });
}
