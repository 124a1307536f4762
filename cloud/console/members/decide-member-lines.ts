/** What the lines of a file of members would do: which make a member, which change one, and which cannot, and why. */
import { isMisreadBySpreadsheet } from '../../../shared/csv-codec.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { judgePlate } from '../../../shared/plate/typed-plate.js';
import { groupNamesIn, groupsIn, knownGroups } from './member-groups-parser.js';
import type { MemberColumn, MemberRow, PlateCell } from './member-file-parser.js';

/** The part of a member's record that a file can change. */
export interface KnownMember {
  id: number;
  name: string;
  plates: readonly string[];
  email: string;
  description: string;
  /** ISO 8601; null: always. */
  valid_from: string | null;
  valid_until: string | null;
  groups: readonly { id: number; name: string }[];
}

export type LineKind = 'new' | 'changed' | 'same' | 'wrong';

/** The rule that a cell breaks. The words for it have these names. */
export type CellFault =
  | 'missing'
  | 'tooLong'
  | 'controls'
  | 'plate'
  | 'spoiltPlate'
  | 'tooManyPlates'
  | 'noEmail'
  | 'unknownGroup'
  | 'unknownId'
  | 'ambiguous'
  | 'twice'
  | 'tooManyCells';

export interface LineFault {
  /** null: it is about the whole line. */
  column: MemberColumn | null;
  fault: CellFault;
  /** What it is about: the plate that is none, the group's name, the other line, the longest length. */
  about: string;
}

/** Over REST: the body of POST or PATCH. */
export interface MemberBody {
  name?: string;
  plates?: string[];
  email?: string;
  description?: string;
  valid_from?: string | null;
  valid_until?: string | null;
  group_ids?: number[];
}

export interface MemberLine {
  line: number;
  kind: LineKind;
  /** Of the member that is changed, or is as the line says; null: there is none yet. */
  id: number | null;
  /** As the file or the record has it. */
  name: string;
  /** What would be sent. */
  body: MemberBody;
  /** Of a member that is there already: what would be another. */
  changes: readonly { column: MemberColumn; before: string; after: string }[];
  faults: readonly LineFault[];
  /** A plate of which a spreadsheet may have made a number or a date; null: it is none. */
  doubtfulPlate: string | null;
  /** The others who have the same plate: that is allowed, and seldom meant. */
  samePlate: readonly string[];
}

const NAME_MAX = 200;
const TEXT_MAX = 2_000;
/** Deliberately wide: the service decides. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** What a spreadsheet makes of texts that it takes for formulas, large numbers and dates. Nobody has such a plate. */
const SPOILT_PLATE = /^#|^[\d.,]+E[+-]\d+$|^\d*[ ./-]?\p{Lu}\p{Ll}+[ ./-]?\d*$/u;
const PLATES_MAX = 10;
const TIMES = ['valid_from', 'valid_until'] as const;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
const CONTROLS = /\p{Cc}/u;
/** A description may have lines and tabs. */
const TEXT_CONTROLS = /[^\P{Cc}\t\r\n]/u;

/** The plates and names of the members and of the lines before. */
interface Known {
  byId: ReadonlyMap<number, KnownMember>;
  /** Names are no keys: several may be called the same. */
  byName: ReadonlyMap<string, readonly KnownMember[]>;
  groups: ReadonlyMap<string, number>;
  /** The names of those who have a plate, by its normalised form. */
  namesByPlate: Map<string, string[]>;
  /** How many lines without an id have a name. */
  linesByName: ReadonlyMap<string, number>;
  /** The line in which a name with a plate, or a member, was seen first. */
  lineOfNew: Map<string, number>;
  lineOfId: Map<number, number>;
}

/** A column that the file has not stays as it is; an empty cell empties. */
export function decideMemberLines(
  rows: readonly MemberRow[],
  now: { members: readonly KnownMember[]; groups: readonly { id: number; name: string }[] },
): MemberLine[] {
  const namesByPlate = new Map<string, string[]>();
  for (const { name, plates } of now.members) addPlates(namesByPlate, plates, name);
  const known: Known = {
    byId: new Map(now.members.map((each) => [each.id, each])),
    byName: grouped(now.members),
    groups: knownGroups(now.groups),
    namesByPlate,
    linesByName: countsOf(rows.map(({ values }) => (values.id ? '' : (values.name ?? '')))),
    lineOfNew: new Map(),
    lineOfId: new Map(),
  };
  return rows.map((row) => decideLine(row, known));
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function grouped(members: readonly KnownMember[]): Map<string, KnownMember[]> {
  const byName = new Map<string, KnownMember[]>();
  for (const each of members) byName.set(each.name, [...(byName.get(each.name) ?? []), each]);
  return byName;
}

/**
 * The member that a line is about: by the id, else by name and one of the plates, else by the name alone, where it is the only one of this name in the
 * file and among the members. undefined: a new one. `ambiguous`: several could be meant.
 */
function memberOf(
  { id, name = '' }: MemberRow['values'],
  plates: readonly string[],
  known: Known,
): KnownMember | 'ambiguous' | undefined {
  if (id !== undefined && id !== '') return known.byId.get(Number(id));
  const called = known.byName.get(name) ?? [];
  const own = new Set(plates.map(normalisePlate));
  const [first, ...others] = called.filter((each) => each.plates.some((plate) => own.has(normalisePlate(plate))));
  if (first !== undefined) return others.length === 0 ? first : 'ambiguous';
  if (called.length > 1) return 'ambiguous';
  return known.linesByName.get(name) === 1 ? called[0] : undefined;
}

function decideLine({ line, values, plates: cells, hasTooMany }: MemberRow, known: Known): MemberLine {
  const { id: idText = '', name: givenName = '' } = values;
  const given = distinct(cells ?? []);
  const plates = given.map(({ plate }) => plate);
  const meant = memberOf(values, plates, known);
  const before = meant === 'ambiguous' ? undefined : meant;
  const name = givenName === '' ? (before?.name ?? '') : givenName;
  const groups = values.groups === undefined ? null : groupsIn(values.groups, known.groups);
  const faults = [
    ...(hasTooMany ? [faultOf(null, 'tooManyCells')] : []),
    ...(idText !== '' && before === undefined ? [faultOf('id', 'unknownId', idText)] : []),
    ...(meant === 'ambiguous' ? [faultOf('name', 'ambiguous')] : []),
    ...faultsOfValues(values, before),
    ...faultsOfPlates(given, before),
    ...(groups?.unknown ?? []).map((each) => faultOf('groups', 'unknownGroup', each)),
    ...(name === '' ? [] : faultsOfOthers({ line, name, plates, before }, known)),
  ];
  const body: MemberBody = {
    ...(givenName === '' || givenName === before?.name ? {} : { name: givenName }),
    ...(cells === undefined || plates.join('\n') === (before?.plates ?? []).join('\n') ? {} : { plates }),
    ...changed('email', values.email?.toLowerCase(), before?.email),
    ...changed('description', values.description, before?.description),
    ...changedTime('valid_from', values.valid_from, before?.valid_from),
    ...changedTime('valid_until', values.valid_until, before?.valid_until),
    ...(groups === null || sameIds(groups.ids, before?.groups ?? []) ? {} : { group_ids: groups.ids }),
  };
  const samePlate = othersWithPlates(known.namesByPlate, plates, name, before);
  if (before === undefined) addPlates(known.namesByPlate, plates, name);
  const doubtful = given.find(
    ({ plate, isSafe }) => !isSafe && isMisreadBySpreadsheet(plate) && !before?.plates.includes(plate),
  );
  const doubtfulPlate = doubtful?.plate ?? null;
  const kind = faults.length > 0 ? 'wrong' : before === undefined ? 'new' : isEmpty(body) ? 'same' : 'changed';
  const changes = before === undefined || kind === 'wrong' ? [] : changesOf(body, before, values.groups ?? '');
  return { line, kind, id: before?.id ?? null, name, body, changes, faults, doubtfulPlate, samePlate };
}

const faultOf = (column: MemberColumn | null, fault: CellFault, about: string | number = ''): LineFault => ({
  column,
  fault,
  about: String(about),
});

/** What is wrong with the cells by themselves. */
function faultsOfValues(values: MemberRow['values'], before: KnownMember | undefined): LineFault[] {
  const { name, email = '', description = '' } = values;
  return [
    ...((name ?? '') === '' && before === undefined ? [faultOf('name', 'missing')] : []),
    ...((name?.length ?? 0) > NAME_MAX ? [faultOf('name', 'tooLong', NAME_MAX)] : []),
    ...(CONTROLS.test(name ?? '') ? [faultOf('name', 'controls')] : []),
    ...(email !== '' && !EMAIL.test(email) ? [faultOf('email', 'noEmail', email)] : []),
    ...(description.length > TEXT_MAX ? [faultOf('description', 'tooLong', TEXT_MAX)] : []),
    ...(TEXT_CONTROLS.test(description) ? [faultOf('description', 'controls')] : []),
  ];
}

/** A plate that stands in a line several times counts once. */
function distinct(cells: readonly PlateCell[]): PlateCell[] {
  const seen = new Set<string>();
  return cells.filter(({ plate }) => {
    const key = normalisePlate(plate) || plate;
    return !seen.has(key) && seen.add(key);
  });
}

/** What is wrong with plates; those that the member has are good as they are. */
function faultsOfPlates(cells: readonly PlateCell[], before: KnownMember | undefined): LineFault[] {
  const faults = cells.flatMap(({ plate }) => {
    if (before?.plates.includes(plate)) return [];
    if (SPOILT_PLATE.test(plate) && (plate.startsWith('#') || isMisreadBySpreadsheet(plate)))
      return [faultOf('license_plate', 'spoiltPlate', plate)];
    return judgePlate(plate).fault === null ? [] : [faultOf('license_plate', 'plate', plate)];
  });
  return cells.length > PLATES_MAX ? [faultOf('license_plate', 'tooManyPlates', PLATES_MAX)] : faults;
}

/** Whoever imports should look at a line: it does not say for sure what is meant. */
export const isDoubtful = ({ kind, doubtfulPlate, samePlate }: MemberLine): boolean =>
  kind !== 'wrong' && (doubtfulPlate !== null || samePlate.length > 0);

/** A member is in a file once. */
function faultsOfOthers(
  about: { line: number; name: string; plates: readonly string[]; before: KnownMember | undefined },
  { lineOfNew, lineOfId }: Known,
): LineFault[] {
  const { line, name, plates, before } = about;
  const key = [name, ...plates.map(normalisePlate)].join('\n');
  const earlier = before === undefined ? lineOfNew.get(key) : lineOfId.get(before.id);
  if (earlier !== undefined) return [faultOf('name', 'twice', earlier)];
  if (before === undefined) lineOfNew.set(key, line);
  else lineOfId.set(before.id, line);
  return [];
}

const changed = (field: 'email' | 'description', given: string | undefined, before = '') =>
  given === undefined || given === before ? {} : { [field]: given };

/** What is no time is for the service to refuse. */
function changedTime(field: (typeof TIMES)[number], text: string | undefined, before: string | null = null) {
  if (text === undefined) return {};
  const isTime = TIME.test(text) && !Number.isNaN(Date.parse(text));
  const given = isTime ? new Date(text).toISOString() : text === '' ? null : text;
  return given === before ? {} : { [field]: given };
}

const isEmpty = (body: MemberBody): boolean => Object.keys(body).length === 0;

const sameIds = (ids: readonly number[], groups: readonly { id: number }[]): boolean =>
  ids.length === groups.length && groups.every(({ id }) => ids.includes(id));

function changesOf(body: MemberBody, before: KnownMember, groupsText: string): MemberLine['changes'] {
  const textsOf = (columns: readonly ('name' | 'email' | 'description' | (typeof TIMES)[number])[]) =>
    columns.flatMap((column) => {
      const after = body[column];
      return after === undefined ? [] : [{ column, before: before[column] ?? '', after: after ?? '' }];
    });
  const plates =
    body.plates === undefined
      ? []
      : [{ column: 'license_plate' as const, before: before.plates.join(', '), after: body.plates.join(', ') }];
  const texts = [...textsOf(['name']), ...plates, ...textsOf(['email', 'description', ...TIMES])];
  if (body.group_ids === undefined) return texts;
  const names = before.groups.map(({ name }) => name).join(' | ');
  return [...texts, { column: 'groups', before: names, after: groupNamesIn(groupsText).join(' | ') }];
}

function addPlates(namesByPlate: Map<string, string[]>, plates: readonly string[], name: string): void {
  for (const key of plates.map(normalisePlate)) {
    if (key !== '') namesByPlate.set(key, [...(namesByPlate.get(key) ?? []), name]);
  }
}

function othersWithPlates(
  namesByPlate: ReadonlyMap<string, string[]>,
  plates: readonly string[],
  name: string,
  before: KnownMember | undefined,
): string[] {
  const names = plates.flatMap((plate) => namesByPlate.get(normalisePlate(plate)) ?? []);
  return [...new Set(names)].filter((each) => each !== name && each !== before?.name);
}
