import { describe, expect, it } from 'vitest';
import { SHELL_WORDS } from '../../../agent/doctor/shell-words.js';
import { boundFindings, doctorReportSchema } from '../../../shared/doctor/report.js';
import { FINDING_IDS, type FindingId, FINDINGS } from '../../../shared/doctor/findings.js';
import { DE } from '../../../shared/doctor/de.js';
import type { DoctorWords } from '../../../shared/doctor/doctor-words.js';
import { EN } from '../../../shared/doctor/en.js';
import { HR } from '../../../shared/doctor/hr.js';
import { HU } from '../../../shared/doctor/hu.js';
import { describeFinding } from '../../../shared/doctor/describe-finding.js';
import {
  anyCharacter,
  array,
  assert,
  constantFrom,
  dictionary,
  double,
  integer,
  oneof,
  property,
  record,
  string,
} from '../../property.js';

const LANGUAGES: [string, DoctorWords][] = [
  ['English', EN],
  ['German', DE],
  ['Croatian', HR],
  ['Hungarian', HU],
];
const placesIn = (text: string) => [...text.matchAll(/\{(\w+)±?\}/g)].map(([, name]) => name);
const fact = oneof(
  integer(),
  double({ noNaN: true }),
  string({ unit: anyCharacter, maxLength: 20 }),
  constantFrom(null),
);

type PageFindingId = keyof DoctorWords['findings'];
const PAGE_IDS = Object.keys(EN.findings) as PageFindingId[];

describe.each([...LANGUAGES, ['a shell', SHELL_WORDS] as const])('the words in %s', (_language, words) => {
  it.each(Object.keys(words.findings) as FindingId[])('say %s with its facts, and what to do about it', (id) => {
    const { says, todo } = words.findings[id as PageFindingId];
    const used = new Set([...placesIn(says), ...placesIn(todo ?? '')]);
    // A command finds the thing by its name.
    if (words === SHELL_WORDS) used.delete('about');
    expect([...used].filter((name) => !(FINDINGS[id].facts as readonly unknown[]).includes(name))).toEqual([]);
    expect(FINDINGS[id].facts.filter((name) => !used.has(name))).toEqual([]);
    expect(todo !== undefined).toBe(FINDINGS[id].level !== 'ok');
  });

  it('leave nothing open, whatever the facts are', () => {
    assert(
      property(
        constantFrom(...(Object.keys(words.findings) as FindingId[])),
        fact,
        string({ unit: anyCharacter, maxLength: 20 }),
        (id, value, about) => {
          const facts = Object.fromEntries(FINDINGS[id].facts.map((name) => [name, value]));
          const described = describeFinding({ id, level: FINDINGS[id].level, about, facts }, words);
          expect(described.says.startsWith(`${about}: `)).toBe(true);
          for (const text of [described.says, described.todo ?? '']) expect(text).not.toMatch(/undefined|NaN/);
          if (typeof value === 'number') expect(placesIn(described.says.slice(about.length))).toEqual([]);
        },
      ),
    );
  });

  it('tell an id of a later version by itself, with what it found', () => {
    const described = describeFinding({ id: 'tide.high', level: 'warning', about: null, facts: { metres: 2 } }, words);
    expect(described).toMatchObject({ level: words.levels.warning, area: 'tide', todo: null });
    expect(described.says).toContain('(tide.high), metres 2');
  });

  it('leave a name as it is that only every object has', () => {
    const facts = { plate: 'ZG1', reason: 'tariff', product: 'constructor' };
    expect(describeFinding({ id: 'decision.opens', level: 'ok', about: null, facts }, words).says).toContain(
      'constructor',
    );
    const described = describeFinding({ id: 'constructor.odd', level: 'warning', about: null, facts: {} }, words);
    expect(described.area).toBe('constructor');
  });

  it('have a word for each reason of a decision, and the same names as English', () => {
    expect(Object.keys(words.values).toSorted()).toEqual(Object.keys(EN.values).toSorted());
  });
});

describe.each(LANGUAGES)('the words of a page in %s', (_language, words) => {
  it.each(PAGE_IDS)('name no command or setting in what to do about %s', (id) => {
    expect(words.findings[id].todo ?? '').not.toMatch(
      /parking-(agent|cloud)|systemctl|journalctl|sudo|nmcli|resolvectl|rfkill|hciconfig|chown|[A-Z]{2,}_[A-Z]|--\w/,
    );
  });
});

it.each(PAGE_IDS.filter((id) => id.startsWith('camera.') && FINDINGS[id].level !== 'ok'))(
  'names at a shell what can be done about %s on the device, without a cloud',
  (id) => {
    expect(SHELL_WORDS.findings[id].todo).toMatch(
      /parking-agent cameras (discover|list|(test|setup|map|clock) ("\{about\}"|NAME))/,
    );
  },
);

it('shows durations and sizes as people read them', () => {
  const says = (id: (typeof FINDING_IDS)[number], facts: Record<string, number>) =>
    describeFinding({ id, level: 'ok', about: null, facts }, EN).says;
  expect(says('session.ok', { since_s: 119 })).toBe('connected for 119 s');
  expect(says('session.ok', { since_s: 7_000 })).toBe('connected for 117 min');
  expect(says('session.ok', { since_s: 90_000 })).toBe('connected for 25 h');
  expect(says('clock.off', { off_s: -1_000_000_000 })).toBe('is 11574 days behind, compared with the cloud');
  expect(says('memory.ok', { free_bytes: 412_000_000 })).toBe('412 MB free');
  expect(says('memory.ok', { free_bytes: 1_550_000_000 })).toBe('1.6 GB free');
});

describe('the bounds of a report', () => {
  const anyFinding = record({
    id: constantFrom(...FINDING_IDS),
    level: constantFrom('ok', 'warning', 'failure'),
    about: oneof(constantFrom(null), string({ unit: anyCharacter, maxLength: 1_000 })),
    facts: dictionary(
      constantFrom('problem', 'days', 'percent'),
      oneof(string({ unit: anyCharacter, maxLength: 1_000 }), integer(), double()),
    ),
  });

  it('hold whatever is found, and what has failed comes first', () => {
    assert(
      property(array(anyFinding, { maxLength: 40 }), integer({ min: 1, max: 30 }), (some, times) => {
        const findings = boundFindings(Array.from({ length: times }, () => some).flat());
        const report = { version: '1', at_ms: 1, took_ms: 1, is_running: true, findings };
        expect(doctorReportSchema.safeParse(report).error?.issues ?? []).toEqual([]);
        const levels = findings.map(({ level }) => ['failure', 'warning', 'ok'].indexOf(level));
        expect(levels).toEqual(levels.toSorted());
      }),
      { numRuns: 30 },
    );
  });

  it('refuse what no agent sends', () => {
    const report = (finding: object) => ({ version: '1', at_ms: 1, took_ms: 1, is_running: true, findings: [finding] });
    const good = { id: 'a.b', level: 'ok', about: null, facts: {} };
    expect(doctorReportSchema.safeParse(report(good)).success).toBe(true);
    for (const bad of [
      { id: '<b>.c' },
      { id: 'a' },
      { level: 'fatal' },
      { facts: { 'a b': 1 } },
      { facts: { a: { b: 1 } } },
      { about: 'x'.repeat(301) },
      { facts: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`f${at}`, 1])) },
    ])
      expect(doctorReportSchema.safeParse(report({ ...good, ...bad })).success, JSON.stringify(bad)).toBe(false);
  });
});
