/** Puts findings under those that they follow from. Apart from the table of causes, which no page needs. */
import type { Cause, Finding } from './findings.js';

const isOf = (finding: { id: string; about: string | null }, cause: Cause): boolean =>
  finding.id === cause.id && finding.about === cause.about;

/** Lists each finding that stands for itself with those that follow from it, in the order of the report. */
export function inGroups<Item extends Pick<Finding, 'id' | 'about'> & { follows?: Cause | null | undefined }>(
  findings: readonly Item[],
): { finding: Item; following: Item[] }[] {
  const groups = new Map<Item, Item[]>();
  const heads = findings.filter(({ follows = null }) => follows === null);
  for (const head of heads) groups.set(head, []);
  for (const finding of findings) {
    const { follows = null } = finding;
    if (follows === null) continue;
    const head = heads.find((each) => isOf(each, follows));
    // A report of another program may name one that it does not have.
    if (head === undefined) groups.set(finding, []);
    else groups.get(head)?.push(finding);
  }
  return [...groups].map(([finding, following]) => ({ finding, following }));
}
