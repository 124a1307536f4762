/** What an apply did, for people. Pure. */
import { SITE_LINKS } from '../store/queries/site.js';
import type { SiteStep } from './plan-site.js';
import type { ThingKey } from './site-things.js';

interface Line {
  action: 'created' | 'changed' | 'unchanged' | 'removed' | 'kept';
  label: string;
  /** What changed, in the words of the file. */
  fields: string[];
}

/** One line per thing, a summary, and the secrets that were made: they are told nowhere else. */
export function reportSite(steps: SiteStep[], options: { dryRun: boolean }): string[] {
  const lines = toLines(steps);
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
  const made = steps.flatMap((step) => (step.action === 'create' && step.thing.made ? [step.thing] : []));
  const secrets = made.map(({ label, made: secret }) => `  ${secret?.what} of ${label}: ${secret?.secret}`);
  return secrets.length === 0 ? report : [...report, 'Made now and shown only this once:', ...secrets];
}

function toLines(steps: SiteStep[]): Line[] {
  const lines = new Map<ThingKey, Line>();
  for (const step of steps) {
    if (step.action === 'remove' || step.action === 'keep') {
      const { key, label } = step.present;
      lines.set(key, { action: step.action === 'remove' ? 'removed' : 'kept', label, fields: [] });
      continue;
    }
    const { key, label, partOf } = step.thing;
    const owner = partOf === null ? undefined : lines.get(partOf);
    const fields = step.action === 'change' ? fieldsOf(step.write) : [];
    if (owner === undefined) {
      const action = ({ create: 'created', change: 'changed', unchanged: 'unchanged' } as const)[step.action];
      lines.set(key, { action, label, fields });
    } else if (owner.action !== 'created' && step.action !== 'unchanged') {
      owner.action = 'changed';
      owner.fields.push(...fields);
    }
  }
  return [...lines.values()];
}

const FIELD_NAMES: Record<string, string> = {
  account_user_role_id: 'role',
  product_type_id: 'type',
  claim_expires_at: 'claim_code',
  plate_normalised: 'license_plate',
  pairing_epoch: 'master_key',
  price_minor: 'price',
  daily_max_minor: 'daily_max',
};

/** What the file calls the columns that were written. */
function fieldsOf({ values, sealed, references, links }: Extract<SiteStep, { action: 'change' }>['write']): string[] {
  const columns = [...Object.keys(values), ...Object.keys(sealed), ...Object.keys(references)];
  const fields = columns.map((column) => FIELD_NAMES[column] ?? column.replace(/_(id|hash|sealed)$/, ''));
  return [...fields, ...links.map(({ table }) => SITE_LINKS[table].toTable)];
}
