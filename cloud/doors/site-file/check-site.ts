/**
 * Checks of a site file that no schema can make: duplicate names, references to nothing, and items that contradict each other. They check
 * the raw content, so that their problems are reported together with those of the schema. Pure.
 */
import { fileFieldsOf, type Resource, type Unique } from '../../rest/entry.js';
import {
  accountOf,
  candidates,
  lotOf,
  nameOf,
  nameWithLot,
  namedBy,
  pathOf,
  type SiteItem,
  type SiteItems,
  siteItems,
  type SitePath,
  type SiteProblem,
  textOf,
  textsOf,
  wordOf,
} from './site-items.js';

/** How many of the names that may be meant a message shows. */
const CHOICES_SHOWN = 3;

type Report = (path: SitePath, reason: string) => void;

/** @param content the content of the file, of any shape */
export function checkSite(content: unknown, resources: readonly Resource[]): SiteProblem[] {
  const problems: SiteProblem[] = [];
  const report: Report = (path, reason) => void problems.push({ path, reason });
  const items = siteItems(content, resources);
  const words = new Map(resources.map((resource) => [resource.table as string, wordOf(resource)]));
  for (const resource of resources) {
    const own = items.of(resource.table);
    for (const unique of resource.unique) checkUnique(items, { own, unique, report });
    for (const item of own) {
      checkReferences(items, item, { words, report });
      checkInSight(items, item, report);
    }
  }
  return problems;
}

/** Reports duplicates: every item but the first. */
function checkUnique(
  items: SiteItems,
  { own, unique, report }: { own: readonly SiteItem[]; unique: Unique; report: Report },
): void {
  const { field, within, together, normalise = (text) => text } = unique;
  const seen = new Map<SiteItem | undefined, Set<string>>();
  for (const item of own) {
    const text = textOf(item, field);
    const beside = together === undefined ? '' : textOf(item, together);
    if (text === undefined || beside === undefined) continue;
    const compared = normalise(text);
    // The schema reports a plate without letters and digits.
    if (compared === '' && text !== '') continue;
    const around = {
      everywhere: undefined,
      account: accountOf(item),
      lot: lotOf(items, item),
      parent: item.above.at(-1),
    };
    const others = seen.get(around[within]) ?? new Set<string>();
    seen.set(around[within], others);
    const key = JSON.stringify([compared, beside]);
    if (others.has(key))
      report(pathOf(item, field), `another ${unique.word ?? wordOf(item.resource)} has ${shown(text)} already`);
    others.add(key);
  }

  function shown(text: string): string {
    if (unique.isSecret) return 'this';
    return unique.isShownAsGiven ? text : normalise(text);
  }
}

/** Reports names that stand for no thing, or for several. */
function checkReferences(
  items: SiteItems,
  item: SiteItem,
  { words, report }: { words: ReadonlyMap<string, string>; report: Report },
): void {
  for (const [field, { reference }] of Object.entries(fileFieldsOf(item.resource))) {
    if (reference === undefined || item.resource.file.isSameItem) continue;
    // The lot is unknown because the zone's name is wrong, which is reported at the zone.
    if (reference.among === 'lot' && lotOf(items, item) === undefined) continue;
    const one = textOf(item, field);
    const named = reference.pairs === null ? (one === undefined ? [] : [{ text: one, at: [] }]) : listed(item, field);
    for (const { text: name, at } of named) {
      const found = candidates(items, item, { field, name });
      const path = [...pathOf(item, field), ...at];
      const [first] = found;
      if (first === undefined) report(path, `there is no ${words.get(reference.to)} ${name}${reference.where}`);
      else if (found.length > 1 && reference.among === 'account' && nameWithLot(items, first) !== undefined) {
        const choices = found.slice(0, CHOICES_SHOWN).map((each) => nameWithLot(items, each));
        const others = found.length > CHOICES_SHOWN ? ', or another' : '';
        const word = wordOf(first.resource);
        report(path, `several lots have a ${word} ${nameOf(first)}: write ${choices.join(' or ')}${others}`);
      }
    }
  }

  function listed(of: SiteItem, field: string) {
    return textsOf(of, field).map(({ text, index }) => ({ text, at: [index] }));
  }
}

/** Reports problems between an item and the items that it names. */
function checkInSight(items: SiteItems, item: SiteItem, report: Report): void {
  const found = item.resource.file.check?.(item.value, (field) => namedBy(items, item, field)?.value) ?? [];
  for (const { field, reason } of found) report(pathOf(item, field), reason);
}
