/** Plans what has to happen so that the database has what a file declares. Pure. */
import { decideGatewaySlot, type GatewaySlot, renewedCodeEnd } from '../../equipment/entry.js';
import { renewKeys, withValues } from './plan-keys.js';
import type { FileResource, SiteProblem } from './site-items.js';
import type { DeclaredThing, PresentThing, SealedSecret, ThingKey, ThingLink } from './site-things.js';
import {
  fileFieldsOf,
  hasSecretsForGateway,
  holderOf,
  redirectedSecrets,
  type SealedColumn,
} from '../../rest/entry.js';
import { holdersInFile } from './holders-in-file.js';
import type { SiteStep, SiteWrite, WantedStep } from './site-steps.js';

export interface SitePlan {
  /** The steps in the order in which they can be done. */
  steps: SiteStep[];
  /** Why the file does not fit this database. */
  problems: SiteProblem[];
}

interface PlanOptions {
  /** The resources in the order in which they can be created. */
  resources: readonly FileResource[];
  prune: boolean;
  /** By lot: the slots at its products that were given to any gateway. */
  slots: ReadonlyMap<ThingKey, GatewaySlot[]>;
  /** Whether the sealed text holds this secret. */
  holds(sealed: string, secret: SealedSecret): boolean;
}

export function planSite(declared: DeclaredThing[], present: PresentThing[], options: PlanOptions): SitePlan {
  const declaredKeys = new Set(declared.map(({ key }) => key));
  const undeclared = present.filter(({ resource, key, partOf }) => {
    return resource.table !== 'accounts' && partOf === null && !declaredKeys.has(key);
  });
  const leaving = new Set(options.prune ? undeclared : []);
  const staying = present.filter((thing) => !leaving.has(thing));
  const context = {
    presentByKey: new Map(staying.map((thing) => [thing.key, thing])),
    allOf: thingsByAccount([...declared, ...staying]),
    inLot: thingsByLot([...declared, ...staying]),
    assignSlot: createSlotAssigner(staying, options.slots),
    holds: options.holds,
    problems: [] as SiteProblem[],
  };
  const wanted = declared.map((thing) => planThing(thing, context));
  // The parts belong to their thing, so outdated ones go even without --prune.
  const outdated = present.filter(({ key, partOf }) => {
    return partOf !== null && declaredKeys.has(partOf) && !declaredKeys.has(key);
  });
  const newTypes = new Set(wanted.flatMap((step) => (isNewType(step) ? step.thing.key : [])));
  const renewed = renewKeys(wanted, context.presentByKey);
  // A thing that names others is removed before them.
  const ends = (isLast: boolean) =>
    options.resources
      .filter(({ file }) => (file.isRemovedLast ?? false) === isLast)
      .toReversed()
      .flatMap(({ table }) => undeclared.filter(({ resource }) => resource.table === table))
      .map((thing): SiteStep => ({ action: options.prune ? 'remove' : 'keep', present: thing }));
  const steps = [
    ...outdated.map((part): SiteStep => ({ action: 'remove', present: part })),
    // Removals come before anything is created, so that new things can have the unique values of removed ones.
    ...ends(false),
    ...renewed.map((step) => restartPart(step, newTypes)),
    ...ends(true),
  ];
  return { steps, problems: context.problems };
}

interface PlanContext {
  presentByKey: ReadonlyMap<ThingKey, PresentThing>;
  /** By table and account. */
  allOf: ReadonlyMap<string, ThingKey[]>;
  /** By table and lot. */
  inLot: ReadonlyMap<string, ReadonlySet<ThingKey>>;
  /** @returns null when the lot has no free slot */
  assignSlot(lot: ThingKey): GatewaySlot | null;
  holds: PlanOptions['holds'];
  problems: SiteProblem[];
}

function planThing(declared: DeclaredThing, context: PlanContext): WantedStep {
  const found = context.presentByKey.get(declared.key);
  const all = completeWrite(declared, context);
  const thing = declared.onlyOfLot.some(({ column }) => all.references[column] === null)
    ? { ...declared, isUnserved: true }
    : declared;
  if (found === undefined) {
    all.values = { ...thing.initially, ...all.values };
    if (thing.resource.table === 'gateways') planSlot(thing, all, context);
    return { action: 'create', thing, write: all };
  }
  const write = differences(all, found, context.holds);
  planHolders(thing, write, { all, found, presentByKey: context.presentByKey });
  context.problems.push(...redirected(thing, found, context.holds));
  if (thing.resource.table === 'gateways') {
    if (write.references.lot_id !== undefined) planSlot(thing, write, context);
    planCodeEnd(thing, write, found);
    if (write.values.uuid !== undefined && found.row.claimed_at !== null) {
      const reason = `the device ${found.row.uuid} has claimed this gateway: give another device a gateway of its own`;
      context.problems.push({ path: [...thing.path, 'uuid'], reason });
    }
  }
  return isEmpty(write)
    ? { action: 'unchanged', thing, id: found.id }
    : { action: 'change', thing, id: found.id, write };
}

function completeWrite(thing: DeclaredThing, { allOf, inLot }: PlanContext): SiteWrite {
  const account = thing.references.account_id ?? '';
  const onlyOnes = thing.onlyOfLot.map(({ column, table, lot }): [string, ThingKey | null] => {
    const [only, second] = inLot.get(`${table} ${lot}`) ?? [];
    return [column, second === undefined ? (only ?? null) : null];
  });
  return {
    values: { ...thing.values },
    sealed: { ...thing.sealed },
    references: { ...thing.references, ...Object.fromEntries(onlyOnes) },
    links: thing.links.map(({ to, ...link }) => ({
      ...link,
      to: to === 'all of the account' ? (allOf.get(`${link.toTable} ${account}`) ?? []) : [...new Set(to)],
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
    links: all.links.filter(({ pairs, to }) => !sameLinks(pairs, to, found.links.get(pairs.table) ?? [])),
  };
}

/** A stored secret that the file leaves out, while it leads the thing's address elsewhere: the file is to say whether the secret goes there. */
function redirected(
  { resource, path, values, sealed }: DeclaredThing,
  found: PresentThing,
  holds: PlanOptions['holds'],
) {
  const isStored = ({ column, purpose, encoding }: SealedColumn): boolean => {
    const present = found.row[column];
    if (typeof present !== 'string' || (sealed[column]?.secret ?? '') !== '') return false;
    return !holds(present, { purpose, encoding, secret: '' });
  };
  const problems = redirectedSecrets(fileFieldsOf(resource), { before: found.row, after: values, isStored });
  return problems.map(({ field, reason }): SiteProblem => ({ path: [...path, field], reason }));
}

/** The secrets that a file names are for the gateway that it names, whichever device that is by now. */
function planHolders(
  { resource, values, sealed }: DeclaredThing,
  write: SiteWrite,
  { all, found, presentByKey }: { all: SiteWrite; found: PresentThing } & Pick<PlanContext, 'presentByKey'>,
): void {
  const fields = fileFieldsOf(resource);
  if (!hasSecretsForGateway(fields)) return;
  const gateway = presentByKey.get(all.references.gateway_id ?? '');
  const holder = gateway === undefined ? null : holderOf(gateway.row as { id: number; public_key: string | null });
  const secrets_for = holdersInFile(fields, { values, sealed, holder });
  if (secrets_for !== found.row.secrets_for) write.values.secrets_for = secrets_for;
}

function sameLinks({ isOrdered }: ThingLink['pairs'], declared: ThingKey[], present: ThingKey[]): boolean {
  const [a, b] = isOrdered ? [declared, present] : [declared.toSorted(), present.toSorted()];
  return a.length === b.length && a.every((key, index) => key === b[index]);
}

function isEmpty({ values, sealed, references, links }: SiteWrite): boolean {
  return links.length === 0 && [values, sealed, references].every((columns) => Object.keys(columns).length === 0);
}

function thingsByAccount(things: (DeclaredThing | PresentThing)[]): Map<string, ThingKey[]> {
  const keys = new Map<string, Set<ThingKey>>();
  for (const { resource, key, references } of things) {
    const owner = `${resource.table} ${references.account_id ?? ''}`;
    keys.set(owner, (keys.get(owner) ?? new Set()).add(key));
  }
  return new Map([...keys].map(([owner, of]) => [owner, [...of]]));
}

function thingsByLot(things: (DeclaredThing | PresentThing)[]): Map<string, Set<ThingKey>> {
  const keys = new Map<string, Set<ThingKey>>();
  for (const { resource, key, references } of things) {
    const place = `${resource.table} ${references.lot_id ?? ''}`;
    keys.set(place, (keys.get(place) ?? new Set()).add(key));
  }
  return keys;
}

/** Assigns the slots of each lot one after the other. */
function createSlotAssigner(present: PresentThing[], slots: PlanOptions['slots']): PlanContext['assignSlot'] {
  const given = new Map([...slots].map(([lot, ofLot]) => [lot, [...ofLot]]));
  const held = new Map<ThingKey, Set<number>>();
  const heldIn = (lot: ThingKey) => held.get(lot) ?? new Set();
  for (const { resource, references, row } of present) {
    const lot = references.lot_id ?? '';
    if (resource.table === 'gateways') held.set(lot, heldIn(lot).add(Number(row.slot)));
  }
  return (lot) => {
    const others = given.get(lot) ?? [];
    const assigned = decideGatewaySlot(others, heldIn(lot));
    if (assigned === null) return null;
    given.set(lot, [...others.filter(({ slot }) => slot !== assigned.slot), assigned]);
    held.set(lot, heldIn(lot).add(assigned.slot));
    return assigned;
  };
}

function planSlot(thing: DeclaredThing, write: SiteWrite, context: PlanContext): void {
  const assigned = context.assignSlot(thing.references.lot_id ?? '');
  if (assigned === null) {
    context.problems.push({ path: thing.path, reason: 'a lot has 15 gateways at most' });
  } else {
    write.values.slot = assigned.slot;
    write.values.slot_generation = assigned.generation;
  }
}

/** Only a code that the file gives: the file does not know another. */
function planCodeEnd({ values, initially }: DeclaredThing, write: SiteWrite, { row }: PresentThing): void {
  if (values.claim_code_hash === undefined) return;
  const next = Number(initially.claim_expires_at);
  const end = renewedCodeEnd(row, { next, isNew: write.values.claim_code_hash !== undefined });
  if (end !== null) write.values.claim_expires_at = end;
  // What a Super Admin said when another code was made does not hold for this one.
  if (write.values.claim_code_hash !== undefined) write.values.claim_keeps_secrets = 0;
}

function isNewType(step: WantedStep): boolean {
  return step.action === 'change' && step.write.values.product_type_id !== undefined;
}

/** A product of another type has another set of states. */
function restartPart(step: WantedStep, newTypes: ReadonlySet<ThingKey>): WantedStep {
  if (step.action === 'create' || step.thing.partOf === null || !newTypes.has(step.thing.partOf)) return step;
  return withValues(step, step.thing.initially);
}
