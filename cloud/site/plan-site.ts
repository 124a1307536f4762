/** What has to happen so that the database has what a file declares. Pure. */
import { decideGatewaySlot, type GatewaySlot } from '../gateway/decide-gateway-slot.js';
import { SITE_LINKS, type SiteId, type SiteLinkTable, type SiteTable, type SiteValue } from '../store/queries/site.js';
import { renewKeys, withValues } from './plan-keys.js';
import type { SiteProblem } from './site-schema.js';
import type { DeclaredThing, PresentThing, SealedSecret, ThingKey } from './site-things.js';

/** Columns to write: as they are, sealed, or with the id of the thing of a key. */
export interface SiteWrite {
  values: Record<string, SiteValue>;
  sealed: Record<string, SealedSecret>;
  references: Record<string, ThingKey | null>;
  links: { table: SiteLinkTable; to: ThingKey[] }[];
}

export type SiteStep =
  | { action: 'create'; thing: DeclaredThing; write: SiteWrite }
  | { action: 'change'; thing: DeclaredThing; id: SiteId; write: SiteWrite }
  | { action: 'unchanged'; thing: DeclaredThing; id: SiteId }
  | { action: 'remove'; present: PresentThing }
  | { action: 'keep'; present: PresentThing };

export interface SitePlan {
  /** In the order in which they can be done. */
  steps: SiteStep[];
  /** Why the file does not fit this database. */
  problems: SiteProblem[];
}

/** Removed before anything is created, so that what replaces them can have what is theirs alone; the rest stays to the end. */
const REMOVED_FIRST: readonly SiteTable[] = [
  'weblinks',
  'rgb_display_rules',
  'rgb_displays',
  'key_logs',
  'license_plate_alerts',
  'terminals',
  'members',
  'groups',
  'lpr_cameras',
  'parking_places',
  'parking_gateways',
  'bound_licenses',
  'products',
  'gateways',
  'api_tokens',
  'account_users',
];
const REMOVED_LAST: readonly SiteTable[] = ['zones', 'lots', 'tariffs'];

interface PlanOptions {
  prune: boolean;
  /** Slots at its products that each lot has given, to whomever. */
  slots: ReadonlyMap<ThingKey, GatewaySlot[]>;
  /** Whether the sealed text holds this secret. */
  holds(sealed: string, secret: SealedSecret): boolean;
}

export function planSite(declared: DeclaredThing[], present: PresentThing[], options: PlanOptions): SitePlan {
  const declaredKeys = new Set(declared.map(({ key }) => key));
  const undeclared = present.filter(({ table, key, partOf }) => {
    return table !== 'accounts' && partOf === null && !declaredKeys.has(key);
  });
  const leaving = new Set(options.prune ? undeclared : []);
  const staying = present.filter((thing) => !leaving.has(thing));
  const context = {
    presentByKey: new Map(staying.map((thing) => [thing.key, thing])),
    lotsOf: lotsByAccount([...declared, ...staying]),
    takeSlot: createSlots(staying, options.slots),
    holds: options.holds,
    problems: [] as SiteProblem[],
  };
  const wanted = declared.map((thing) => planThing(thing, context));
  // What a thing's parts are is the thing's own: without --prune, too.
  const outdated = present.filter(({ key, partOf }) => {
    return partOf !== null && declaredKeys.has(partOf) && !declaredKeys.has(key);
  });
  const newTypes = new Set(wanted.flatMap((step) => (isNewType(step) ? step.thing.key : [])));
  const renewed = renewKeys(wanted, context.presentByKey);
  const ends = (tables: readonly SiteTable[]) =>
    tables.flatMap((table) =>
      undeclared
        .filter((thing) => thing.table === table)
        .map((thing): SiteStep => ({ action: options.prune ? 'remove' : 'keep', present: thing })),
    );
  const steps = [
    ...outdated.map((part): SiteStep => ({ action: 'remove', present: part })),
    ...ends(REMOVED_FIRST),
    ...renewed.map((step) => restartPart(step, newTypes)),
    ...ends(REMOVED_LAST),
  ];
  return { steps, problems: context.problems };
}

export type WantedStep = Exclude<SiteStep, { present: PresentThing }>;

interface PlanContext {
  presentByKey: ReadonlyMap<ThingKey, PresentThing>;
  lotsOf: ReadonlyMap<ThingKey, ThingKey[]>;
  takeSlot(lot: ThingKey): GatewaySlot | null;
  holds: PlanOptions['holds'];
  problems: SiteProblem[];
}

function planThing(thing: DeclaredThing, context: PlanContext): WantedStep {
  const found = context.presentByKey.get(thing.key);
  const all = completeWrite(thing, context);
  if (found === undefined) {
    all.values = { ...thing.initially, ...all.values };
    if (thing.table === 'gateways') assignSlot(thing, all, context);
    return { action: 'create', thing, write: all };
  }
  const write = differences(all, found, context.holds);
  if (thing.table === 'gateways') {
    if (write.references.lot_id !== undefined) assignSlot(thing, write, context);
    if (write.values.uuid !== undefined && found.row.claimed_at !== null) {
      const reason = `the device ${found.row.uuid} has claimed this gateway: give another device a gateway of its own`;
      context.problems.push({ path: [...thing.path, 'uuid'], reason });
    }
  }
  return isEmpty(write)
    ? { action: 'unchanged', thing, id: found.id }
    : { action: 'change', thing, id: found.id, write };
}

function completeWrite(thing: DeclaredThing, { lotsOf }: PlanContext): SiteWrite {
  const account = thing.references.account_id ?? '';
  return {
    values: { ...thing.values },
    sealed: { ...thing.sealed },
    references: thing.references,
    links: thing.links.map(({ table, to }) => ({
      table,
      to: to === 'all lots of the account' ? (lotsOf.get(account) ?? []) : [...new Set(to)],
    })),
  };
}

function differences(all: SiteWrite, found: PresentThing, holds: PlanOptions['holds']): SiteWrite {
  const undecided = ([column]: [string, unknown]) => !found.settled.has(column);
  const values = Object.entries(all.values)
    .filter(undecided)
    .filter(([column, value]) => found.row[column] !== value);
  const sealed = Object.entries(all.sealed)
    .filter(undecided)
    .filter(([column, secret]) => {
      const present = found.row[column];
      return typeof present !== 'string' || !holds(present, secret);
    });
  const references = Object.entries(all.references).filter(([column, key]) => found.references[column] !== key);
  return {
    values: Object.fromEntries(values),
    sealed: Object.fromEntries(sealed),
    references: Object.fromEntries(references),
    links: all.links.filter(({ table, to }) => !sameLinks(table, to, found.links.get(table) ?? [])),
  };
}

function sameLinks(table: SiteLinkTable, declared: ThingKey[], present: ThingKey[]): boolean {
  const [a, b] = SITE_LINKS[table].ordered ? [declared, present] : [declared.toSorted(), present.toSorted()];
  return a.length === b.length && a.every((key, index) => key === b[index]);
}

function isEmpty({ values, sealed, references, links }: SiteWrite): boolean {
  return links.length === 0 && [values, sealed, references].every((columns) => Object.keys(columns).length === 0);
}

function lotsByAccount(things: (DeclaredThing | PresentThing)[]): Map<ThingKey, ThingKey[]> {
  const lots = new Map<ThingKey, Set<ThingKey>>();
  for (const { table, key, references } of things) {
    if (table !== 'lots') continue;
    const account = references.account_id ?? '';
    lots.set(account, (lots.get(account) ?? new Set()).add(key));
  }
  return new Map([...lots].map(([account, keys]) => [account, [...keys]]));
}

/** Hands out slots, one after the other. */
function createSlots(present: PresentThing[], slots: PlanOptions['slots']): PlanContext['takeSlot'] {
  const given = new Map([...slots].map(([lot, ofLot]) => [lot, [...ofLot]]));
  const held = new Map<ThingKey, Set<number>>();
  const heldIn = (lot: ThingKey) => held.get(lot) ?? new Set();
  for (const { table, references, row } of present) {
    const lot = references.lot_id ?? '';
    if (table === 'gateways') held.set(lot, heldIn(lot).add(Number(row.slot)));
  }
  return (lot) => {
    const others = given.get(lot) ?? [];
    const taken = decideGatewaySlot(others, heldIn(lot));
    if (taken === null) return null;
    given.set(lot, [...others.filter(({ slot }) => slot !== taken.slot), taken]);
    held.set(lot, heldIn(lot).add(taken.slot));
    return taken;
  };
}

function assignSlot(thing: DeclaredThing, write: SiteWrite, context: PlanContext): void {
  const taken = context.takeSlot(thing.references.lot_id ?? '');
  if (taken === null) {
    context.problems.push({ path: thing.path, reason: 'a lot has 15 gateways at most' });
  } else {
    write.values.slot = taken.slot;
    write.values.slot_generation = taken.generation;
  }
}

function isNewType(step: WantedStep): boolean {
  return step.action === 'change' && step.write.values.product_type_id !== undefined;
}

/** A product of another type has another set of states. */
function restartPart(step: WantedStep, newTypes: ReadonlySet<ThingKey>): WantedStep {
  if (step.action === 'create' || step.thing.partOf === null || !newTypes.has(step.thing.partOf)) return step;
  return withValues(step, step.thing.initially);
}
