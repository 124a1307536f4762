/** Reports for people what an apply did. Pure. */
import { groupBy } from '../../../shared/grouping.js';
import { decodeJson, type JsonText } from '../../../shared/json-text-codec.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { fileFieldsOf } from '../../rest/entry.js';
import type { FileResource } from './site-items.js';
import type { ThingKey } from './site-things.js';
import type { SiteStep } from './site-steps.js';

export interface SiteLine {
  key: ThingKey;
  action: 'created' | 'changed' | 'unchanged' | 'removed' | 'kept';
  label: string;
  /** What changed, in the words of the file. */
  fields: string[];
}

/** Writes one line per thing, a summary, and the generated secrets, which are shown nowhere else. */
export function reportSite(steps: SiteStep[], options: { dryRun: boolean }): string[] {
  const lines = siteLines(steps);
  const report = lines.map(({ action, label, fields }) => {
    const changed = fields.length === 0 ? '' : ` (${[...new Set(fields)].join(', ')})`;
    const hint = action === 'kept' ? ' (not in the file; --prune removes it)' : '';
    return `${action.padEnd(9)}  ${label}${changed}${hint}`;
  });
  const counted = (['created', 'changed', 'unchanged', 'removed', 'kept'] as const).map((action) => {
    return { action, count: lines.filter((line) => line.action === action).length };
  });
  const shown = counted.filter(({ action, count }) => count > 0 || !['removed', 'kept'].includes(action));
  report.push(`${shown.map(({ action, count }) => `${count} ${action}`).join(', ')}.`);
  report.push(...unservedNotes(steps), ...sharedPlateNotes(steps));
  if (options.dryRun) return [...report, 'This was a dry run: nothing was written.'];
  const isWritten = lines.some(({ action }) => action !== 'unchanged' && action !== 'kept');
  if (isWritten)
    report.push('A cloud that runs on this database notices it by itself and sends it to its gateways within 5 s.');
  return [...report, ...slotNotes(steps), ...madeSecrets(steps)];
}

/** Notes things that no gateway looks after, because the lot has none or several and the file names none. */
function unservedNotes(steps: SiteStep[]): string[] {
  return steps.flatMap((step) => {
    if (!('thing' in step) || step.thing.isUnserved !== true) return [];
    return [`Note: no gateway serves ${step.thing.label}: its lot has not exactly one. Name one with \`gateway\`.`];
  });
}

/** Notes members with a plate that another member of the account has, too: that is allowed, and seldom meant. */
function sharedPlateNotes(steps: SiteStep[]): string[] {
  const holders = steps.flatMap((step) => {
    if (step.action === 'remove') return [];
    const isInFile = 'thing' in step;
    const { resource, references, label } = isInFile ? step.thing : step.present;
    if (resource.table !== 'members') return [];
    const plates = decodeJson((isInFile ? step.thing.values : step.present.row).plates as JsonText<string[]>);
    return plates.map((plate) => ({
      plate,
      label,
      isInFile,
      key: JSON.stringify([references.account_id, normalisePlate(plate)]),
    }));
  });
  return [...groupBy(holders, ({ key }) => key).values()].flatMap((same) => {
    // Whom the file names comes first.
    const [first, ...others] = same.toSorted((a, b) => Number(b.isInFile) - Number(a.isInFile));
    if (first === undefined || others.length === 0 || !first.isInFile) return [];
    return [
      `Note: ${first.label} has the plate ${first.plate}, and so has ${others.map(({ label }) => label).join(', ')}.`,
    ];
  });
}

/** Notes gateways whose slot another gateway had before, because all fifteen of the lot were given (`decide-gateway-slot.ts`). */
function slotNotes(steps: SiteStep[]): string[] {
  return steps.flatMap((step) => {
    if (step.action !== 'create' && step.action !== 'change') return [];
    const { slot, slot_generation } = step.write.values;
    if (typeof slot_generation !== 'number' || slot_generation === 0) return [];
    const hint = `its products refuse it until they are ordered to raise the slot to generation ${slot_generation}`;
    return [`Note: ${step.thing.label} follows others in slot ${slot} of its lot; ${hint}.`];
  });
}

function madeSecrets(steps: SiteStep[]): string[] {
  const made = steps.flatMap((step) => (step.action === 'create' && step.thing.made ? [step.thing] : []));
  const secrets = made.map(({ label, made: secret }) => `  ${secret?.what} of ${label}: ${secret?.secret}`);
  return secrets.length === 0 ? [] : ['Made now and shown only this once:', ...secrets];
}

/** Builds one line per thing; a part is in the line of its thing. */
export function siteLines(steps: SiteStep[]): SiteLine[] {
  const lines = new Map<ThingKey, SiteLine>();
  for (const step of steps.filter((each) => partOf(each) === null)) {
    const { key, label } = 'present' in step ? step.present : step.thing;
    const fields = step.action === 'change' ? fieldsOf(step) : [];
    lines.set(key, { key, action: DONE[step.action], label, fields });
  }
  for (const step of steps) {
    const owner = lines.get(partOf(step) ?? '');
    if (owner === undefined || owner.action === 'created' || step.action === 'unchanged') continue;
    const { resource } = 'present' in step ? step.present : step.thing;
    owner.action = 'changed';
    owner.fields.push(...(isOwnList(resource) || step.action !== 'change' ? [listOf(resource)] : fieldsOf(step)));
  }
  return [...lines.values()];
}

const DONE = { create: 'created', change: 'changed', unchanged: 'unchanged', remove: 'removed', keep: 'kept' } as const;

/** Reports show a part that has its own list by the list's name. */
const isOwnList = ({ file }: FileResource): boolean => !file.isSameItem;
const listOf = ({ file }: FileResource): string => file.at.at(-1) ?? '';

function partOf(step: SiteStep): ThingKey | null {
  return ('present' in step ? step.present : step.thing).partOf;
}

/** Finds the names in the file of the columns that were written. */
function fieldsOf({ write, thing }: Extract<SiteStep, { action: 'change' }>): string[] {
  const { values, sealed, references, links } = write;
  const columns = [...Object.keys(values), ...Object.keys(sealed), ...Object.keys(references)];
  const fields = columns.flatMap((column) => fieldOf(thing.resource, column) ?? []);
  return [...fields, ...links.map(({ field }) => field)];
}

/** Finds the name of a column in the file; null: reports leave the column out. */
function fieldOf(resource: FileResource, column: string): string | null {
  const reported = resource.file.reportedAs?.[column];
  if (reported !== undefined) return reported;
  const fields = Object.entries(fileFieldsOf(resource));
  const kept = fields.find(([, { columns, secret }]) => column === secret?.column || column in (columns ?? {}));
  return kept?.[0] ?? column.replace(/_(id|hash|for)$/, '');
}
