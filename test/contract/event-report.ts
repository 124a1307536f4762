/** The events of a test run beside the table of the specification, one line per event. */
import type { EventName } from '../../shared/events/event-schemas.js';
import type { ObservedEvent } from './observed-events.js';
import { rulesOf, SENDING_RULES, type SendingRule } from './sending-rules.js';
import { compareKeys, isAllowed, type KeyRow, SPECIFICATION_EVENTS } from './specification-events.js';

/** The outcomes of the tests that prove each rule. */
export type RuleOutcomes = ReadonlyMap<SendingRule, 'passed' | 'failed'>;

const WIDTH = 120;
const HEADINGS = [
  'event',
  'heard',
  'keys missing',
  'keys extra',
  'optional keys',
  'optional, never seen',
  'rules tested',
];

/** The lines of the report. */
export function eventReport(observed: ReadonlyMap<string, ObservedEvent>, outcomes: RuleOutcomes): string[] {
  const headings = Object.keys(SENDING_RULES) as (keyof typeof SENDING_RULES)[];
  const rows = headings.map((heading) => {
    const rules = rulesOf(heading);
    const tested = `${rules.filter((rule) => outcomes.get(rule) === 'passed').length} of ${rules.length}`;
    if (heading === 'every event') return [heading, '', '', '', '', '', tested];
    return [heading, ...heardCells(heading, observed.get(heading)), tested];
  });
  const withOutcome = (outcome: 'failed' | undefined) =>
    headings.flatMap((heading) => {
      const names = rulesOf(heading).filter((rule) => outcomes.get(rule) === outcome);
      return names.length === 0 ? [] : [`${heading} (${names.map((rule) => rule.split(': ')[1]).join(' ')})`];
    });
  return [
    ...table([HEADINGS, ...rows]),
    ...paragraph('Rules whose tests failed: ', withOutcome('failed')),
    ...paragraph('Rules without a test in this run: ', withOutcome(undefined)),
  ];
}

function heardCells(event: EventName | 'authorized', seen: ObservedEvent | undefined): string[] {
  if (seen === undefined) return ['not observed', '', '', '', ''];
  const rows = compareKeys(SPECIFICATION_EVENTS[event], seen.combinations);
  const optional = rows.filter(({ specification }) => specification === 'optional');
  const unseen = optional.filter((row) => row.observed === 'never');
  return [
    String(seen.times),
    named(rows.filter((row) => row.specification === 'required' && !isAllowed(row))),
    named(rows.filter(({ specification }) => specification === 'unknown')),
    optional.length === 0 ? '-' : `${optional.length - unseen.length} of ${optional.length} seen`,
    named(unseen),
  ];
}

const named = (rows: readonly KeyRow[]) => (rows.length === 0 ? '-' : rows.map(({ path }) => path).join(' '));

function table(rows: readonly string[][]): string[] {
  const widths = HEADINGS.map((_heading, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Items separated by commas, in lines of a bounded width; no lines without items. */
function paragraph(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const lines = [title];
  for (const [index, item] of items.entries()) {
    const word = index === items.length - 1 ? item : `${item}, `;
    const last = lines.length - 1;
    if (`${lines[last]}${word}`.length > WIDTH) lines.push(`  ${word}`);
    else lines[last] += word;
  }
  return lines.map((line) => line.trimEnd());
}
