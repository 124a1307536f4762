/** Renders a report of `doctor` for a person at a shell, or for a file: then each finding is one line, without colours. */
import type { Finding } from '../../shared/doctor/findings.js';
import type { DoctorReport } from '../../shared/doctor/report.js';
import { EN } from '../../shared/doctor/en.js';
import { SHELL_ADVICE } from './shell-advice.js';
import { countLevels, describeFinding, shownLevelOf } from '../../shared/doctor/describe-finding.js';

const COLOURS = { failure: '31', warning: '33', ok: '32', unknown: '2' } as const;
const LEVEL_WIDTH = 9;
const WIDTH_MIN = 40;

/** @param of.width columns of the terminal; null: it is no terminal */
export function renderReport(
  report: DoctorReport,
  { width, isColoured }: { width: number | null; isColoured: boolean },
): string {
  const { findings } = report;
  const areaWidth = Math.max(0, ...findings.map((finding) => describeFinding(finding, EN).area.length)) + 2;
  const lines = findings.flatMap((finding) => lineOf(finding, { width, isColoured, areaWidth }));
  const counts = countLevels(findings);
  const hasTrouble = counts.failures + counts.warnings > 0;
  const summary = `${EN.summary(counts)}, in ${(report.took_ms / 1000).toFixed(1)} s`;
  const more = hasTrouble ? [`What the ids in brackets mean: ${guideFor(findings)}`] : [];
  return [...lines, '', ...[summary, ...more].flatMap((line) => wrapped(line, width))].join('\n');
}

/** At the gateway's own cloud, if it has one. */
function guideFor(findings: readonly Finding[]): string {
  const cloud = findings.find(({ id }) => id === 'gateway.claimed')?.facts['cloud'];
  return typeof cloud === 'string' ? `${cloud.replace(/\/+$/, '')}/docs/guides/doctor` : 'the guide “What doctor says”';
}

function lineOf(
  finding: Finding,
  { width, isColoured, areaWidth }: { width: number | null; isColoured: boolean; areaWidth: number },
): string[] {
  const { level, area, says, todo } = describeFinding(finding, EN, SHELL_ADVICE);
  const paint = (text: string) => (isColoured ? `\u001b[${COLOURS[shownLevelOf(finding)]}m${text}\u001b[0m` : text);
  const head = `${level.padEnd(LEVEL_WIDTH)}${area.padEnd(areaWidth)}`;
  const id = finding.level === 'ok' ? '' : ` [${finding.id}]`;
  if (width === null) return [`${head}${says}${todo === null ? '' : `. ${todo}`}${id}`];
  const indent = ' '.repeat(head.length);
  const room = Math.max(WIDTH_MIN, width - head.length);
  const lines = [
    ...wrapped(`${says}${id}`, room),
    ...(todo === null ? [] : wrapped(todo, room - 2).map((line, at) => `${at === 0 ? '→ ' : '  '}${line}`)),
  ];
  return lines.map((line, at) =>
    at === 0 ? `${paint(head.slice(0, LEVEL_WIDTH))}${head.slice(LEVEL_WIDTH)}${line}` : `${indent}${line}`,
  );
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
