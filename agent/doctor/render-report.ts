/** Renders a report of `doctor` for a person at a shell, or for a file: then each finding is one line, without colours. */
import type { Finding } from '../../shared/doctor/findings.js';
import type { DoctorReport } from '../../shared/doctor/report.js';
import { printable } from '../../shared/node/printable.js';
import { inGroups } from '../../shared/doctor/in-groups.js';
import { countLevels, describeFinding, shownLevelOf } from '../../shared/doctor/describe-finding.js';
import { SHELL_WORDS } from './shell-words.js';

const COLOURS = { failure: '31', warning: '33', ok: '32', unknown: '2' } as const;
const LEVEL_WIDTH = 9;
/** With less of it beside level and area the words stand below them: on the screen of a phone. */
const ROOM_MIN = 36;
/** Before the area of what follows from the finding above it. */
const UNDER = '└ ';

interface Line {
  finding: Finding;
  isFollowing: boolean;
}

interface Look {
  width: number | null;
  isColoured: boolean;
  areaWidth: number;
}

/** @param of.width columns of the terminal; null: it is no terminal */
export function renderReport(
  report: DoctorReport,
  { width, isColoured }: { width: number | null; isColoured: boolean },
): string {
  const { findings } = report;
  const lines = inGroups(findings).flatMap(({ finding, following }): Line[] => [
    { finding, isFollowing: false },
    ...following.map((each) => ({ finding: each, isFollowing: true })),
  ]);
  const areaWidth = Math.max(0, ...lines.map((line) => areaText(line).length)) + 2;
  const counts = countLevels(findings);
  const hasTrouble = counts.failures + counts.warnings > 0;
  const summary = `${SHELL_WORDS.summary(counts)}, in ${(report.took_ms / 1000).toFixed(1)} s`;
  const more = hasTrouble ? [`What the ids in brackets mean: ${guideFor(findings)}`] : [];
  return [
    ...lines.flatMap((line) => linesOf(line, { width, isColoured, areaWidth })),
    '',
    ...[summary, ...more].flatMap((line) => wrapped(line, width)),
  ].join('\n');
}

const areaText = ({ finding, isFollowing }: Line): string =>
  `${isFollowing ? UNDER : ''}${describeFinding(finding, SHELL_WORDS).area}`;

/** At the gateway's own cloud, if it has one. */
function guideFor(findings: readonly Finding[]): string {
  const cloud = findings.find(({ id }) => id === 'gateway.claimed')?.facts['cloud'];
  return typeof cloud === 'string' ? `${cloud.replace(/\/+$/, '')}/docs/guides/doctor` : 'the guide “What doctor says”';
}

function linesOf(line: Line, { width, isColoured, areaWidth }: Look): string[] {
  const { finding, isFollowing } = line;
  const { level, todo: step, ...words } = describeFinding(finding, SHELL_WORDS);
  const says = printable(words.says);
  // It ends with its cause, whose advice stands above.
  const todo = isFollowing || step === null ? null : printable(step);
  const paint = (text: string) => (isColoured ? `\u001b[${COLOURS[shownLevelOf(finding)]}m${text}\u001b[0m` : text);
  const [levelColumn, area] = [level.padEnd(LEVEL_WIDTH), areaText(line)];
  const id = finding.level === 'ok' ? '' : ` [${finding.id}]`;
  if (width === null) return [`${levelColumn}${area.padEnd(areaWidth)}${says}${todo === null ? '' : `. ${todo}`}${id}`];
  const beside = LEVEL_WIDTH + areaWidth;
  const isBelow = width - beside < ROOM_MIN;
  const indent = ' '.repeat(isBelow ? 2 : beside);
  const room = width - indent.length;
  const folded = [
    ...wrapped(`${says}${id}`, room),
    ...(todo === null ? [] : wrapped(todo, room - 2).map((each, at) => `${at === 0 ? '→ ' : '  '}${each}`)),
  ];
  if (isBelow) return [`${paint(levelColumn)}${area}`, ...folded.map((each) => `${indent}${each}`)];
  return folded.map((each, at) => `${at === 0 ? `${paint(levelColumn)}${area.padEnd(areaWidth)}` : indent}${each}`);
}

/** Breaks a text at blanks, so that no line is wider. @param width null: it stays one line */
function wrapped(text: string, width: number | null): string[] {
  if (width === null) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
