/** The groups that a cell of a file of members names. Pure. */

const groupKey = (name: string): string => name.normalize('NFC').trim().toLowerCase();

/** `A | B`. Where no bar stands, commas and semicolons separate as well. */
export const groupNamesIn = (text: string): string[] =>
  text
    .split(text.includes('|') ? '|' : /[;,]/)
    .map((each) => each.trim())
    .filter((each) => each !== '');

/** A text that is the name of one group, commas and all, is that group. */
export function groupsIn(text: string, known: ReadonlyMap<string, number>): { ids: number[]; unknown: string[] } {
  const whole = known.get(groupKey(text));
  if (whole !== undefined) return { ids: [whole], unknown: [] };
  const names = groupNamesIn(text);
  const ids = names.flatMap((each) => known.get(groupKey(each)) ?? []);
  return { ids: [...new Set(ids)], unknown: names.filter((each) => !known.has(groupKey(each))) };
}

/** The ids of groups, by their names as they are compared. */
export const knownGroups = (groups: readonly { id: number; name: string }[]): ReadonlyMap<string, number> =>
  new Map(groups.map(({ id, name }) => [groupKey(name), id]));
