/** What an apply did, for people. Pure. */
import { SITE_LINKS, type SiteTable } from '../store/queries/site.js';
import type { SiteStep } from './plan-site.js';
import type { ThingKey } from './site-things.js';

export interface SiteLine {
  key: ThingKey;
  action: 'created' | 'changed' | 'unchanged' | 'removed' | 'kept';
  label: string;
  /** What changed, in the words of the file. */
  fields: string[];
}

/** One line per thing, a summary, and the secrets that were made: they are told nowhere else. */
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
  if (options.dryRun) return [...report, 'This was a dry run: nothing was written.'];
  const isWritten = lines.some(({ action }) => action !== 'unchanged' && action !== 'kept');
  if (isWritten)
    report.push('A cloud that runs on this database takes it up by itself and tells its gateways within 5 s.');
  return [...report, ...slotNotes(steps), ...madeSecrets(steps)];
}

/** All fifteen slots of a lot were given before: `decide-gateway-slot.ts`. */
function slotNotes(steps: SiteStep[]): string[] {
  return steps.flatMap((step) => {
    if (step.action !== 'create' && step.action !== 'change') return [];
    const { slot, slot_generation } = step.write.values;
    if (typeof slot_generation !== 'number' || slot_generation === 0) return [];
    const hint = `its products refuse it until they are told that the slot has generation ${slot_generation}`;
    return [`Note: ${step.thing.label} follows others in slot ${slot} of its lot; ${hint}.`];
  });
}

function madeSecrets(steps: SiteStep[]): string[] {
  const made = steps.flatMap((step) => (step.action === 'create' && step.thing.made ? [step.thing] : []));
  const secrets = made.map(({ label, made: secret }) => `  ${secret?.what} of ${label}: ${secret?.secret}`);
  return secrets.length === 0 ? [] : ['Made now and shown only this once:', ...secrets];
}

/** One line per thing, parts told with what they are part of. */
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
    const { table } = 'present' in step ? step.present : step.thing;
    const parts = PART_NAMES[table];
    owner.action = 'changed';
    owner.fields.push(...(parts === undefined && step.action === 'change' ? fieldsOf(step) : [parts ?? table]));
  }
  return [...lines.values()];
}

const DONE = { create: 'created', change: 'changed', unchanged: 'unchanged', remove: 'removed', keep: 'kept' } as const;

/** Lists of parts, as the file calls them. */
const PART_NAMES: Partial<Record<SiteTable, string>> = { alert_plates: 'plates', alert_receivers: 'receivers' };

function partOf(step: SiteStep): ThingKey | null {
  return ('present' in step ? step.present : step.thing).partOf;
}

const FIELD_NAMES: Record<string, string> = {
  account_user_role_id: 'role',
  product_type_id: 'type',
  claim_expires_at: 'claim_code',
  plate_normalised: 'license_plate',
  pairing_epoch: 'master_key',
  price_minor: 'price',
  daily_max_minor: 'daily_max',
  'key_logs.plate_normalised': 'receiver_identifier',
};

/** Written with what the file changes; it says nothing to people. */
const HIDDEN_COLUMNS = new Set(['credential_id', 'slot', 'slot_generation']);

/** What the file calls the columns that were written. */
function fieldsOf({ write, thing }: Extract<SiteStep, { action: 'change' }>): string[] {
  const { values, sealed, references, links } = write;
  const columns = [...Object.keys(values), ...Object.keys(sealed), ...Object.keys(references)];
  const shown = columns.filter((column) => !HIDDEN_COLUMNS.has(column));
  const fields = shown.map((column) => {
    const named = FIELD_NAMES[`${thing.table}.${column}`] ?? FIELD_NAMES[column];
    return named ?? column.replace(/_(id|hash|sealed)$/, '');
  });
  return [...fields, ...links.map(({ table }) => SITE_LINKS[table].toTable)];
}
