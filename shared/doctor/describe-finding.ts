/** Fills the words of a language with what was found. A page loads one language alone. */
import type { DoctorWords } from './doctor-words.js';
import type { Fact, Finding, ShownLevel } from './findings.js';

export interface FindingText {
  level: string;
  area: string;
  /** Begins with what it is about, if it is about one thing of several. */
  says: string;
  /** The step to take; null: none. */
  todo: string | null;
}

/** Returns the level as people read it. Reports keep `ok` for what needs nobody. */
export const shownLevelOf = ({ id, level }: Pick<Finding, 'id' | 'level'>): ShownLevel =>
  level === 'ok' && /[._]unknown$/.test(id) ? 'unknown' : level;

/** Says a finding. An id that this version does not know stands by itself, with its facts. */
export function describeFinding(finding: Omit<Finding, 'follows'>, words: DoctorWords): FindingText {
  const { id, about, facts } = finding;
  const area = areaOf(id);
  const known = Object.keys(words.findings).includes(id) ? words.findings[id as keyof DoctorWords['findings']] : null;
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)(±?)\}/g, (_all, name: string, side: string) => {
      if (name === 'about') return about ?? '';
      return side === '' ? shown(name, facts[name], words) : sided(facts[name], words);
    });
  const others = Object.entries(facts).map(([name, fact]) => `${name} ${fact ?? '–'}`);
  const says = known === null ? [`${words.unknown} (${id})`, ...others].join(', ') : fill(known.says);
  return {
    level: words.levels[shownLevelOf(finding)],
    area: wordOf(words.areas, area),
    says: about === null ? says : `${about}: ${says}`,
    todo: known?.todo === undefined ? null : fill(known.todo),
  };
}

/** A name without a word stays as it is, also one that every object has, such as `constructor`. */
const wordOf = (table: Readonly<Record<string, string>>, name: string): string =>
  (Object.keys(table).includes(name) ? table[name] : undefined) ?? name;

function shown(name: string, fact: Fact | undefined, words: DoctorWords): string {
  if (fact === undefined || fact === null) return '–';
  if (typeof fact === 'string') return wordOf(words.values, fact);
  if (name.endsWith('_s')) return durationOf(fact, words);
  if (name.endsWith('_bytes')) return sizeOf(fact);
  return String(fact);
}

function sided(fact: Fact | undefined, words: DoctorWords): string {
  if (typeof fact !== 'number') return '–';
  return words.sides[fact < 0 ? 'behind' : 'ahead'].replace('{n}', durationOf(fact, words));
}

function durationOf(seconds: number, { durations }: DoctorWords): string {
  const size = Math.abs(seconds);
  const of = (text: string, n: number) => text.replace('{n}', String(Math.round(n)));
  if (size < 120) return of(durations.s, size);
  if (size < 7_200) return of(durations.min, size / 60);
  if (size < 172_800) return of(durations.h, size / 3_600);
  return of(durations.days, size / 86_400);
}

function sizeOf(bytes: number): string {
  const gigabytes = bytes / 1e9;
  return gigabytes >= 1 ? `${gigabytes.toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
}

/** Returns the part before the point: for ids of later versions, too. */
export const areaOf = (id: string): string => id.slice(0, Math.max(0, id.indexOf('.')) || id.length);

/** Counts findings: those that follow from another one apart, as they end with it. */
export const countLevels = (findings: readonly Pick<Finding, 'id' | 'level' | 'follows'>[]) => {
  const own = findings.filter(({ follows }) => follows === undefined);
  const of = (level: ShownLevel) => own.filter((each) => shownLevelOf(each) === level).length;
  return {
    failures: of('failure'),
    warnings: of('warning'),
    following: findings.length - own.length,
    oks: of('ok'),
    unknowns: of('unknown'),
  };
};
