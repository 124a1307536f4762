/** The parts of Markdown pages that tests look at: headings, the tables below them, links. Pure. */

export interface Table {
  header: readonly string[];
  /** The first cell of a row is its name: no two rows of a table share one. */
  rows: readonly (readonly string[])[];
}

export interface Heading {
  /** 1 for `#`. */
  level: number;
  text: string;
  /** Line number from 0. */
  line: number;
}

/** The headings in order, without lines of code blocks. */
export function headingsOf(page: string): Heading[] {
  let isCode = false;
  return page.split('\n').flatMap((text, line) => {
    if (text.startsWith('```')) isCode = !isCode;
    const [, marks = '', title = ''] = (isCode ? null : /^(#{1,6}) +(.+?) *$/.exec(text)) ?? [];
    return marks === '' ? [] : [{ level: marks.length, text: title, line }];
  });
}

/** What a link to the heading has after its `#`. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Targets of the page's links and pictures, without those of other sites. */
export function linksOf(page: string): string[] {
  const text = page.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The first table below the heading; null when it has none. */
export function tableBelow(page: string, heading: string): Table | null {
  const lines = page.split('\n');
  const span = tableSpan(lines, sectionOf(page, heading));
  if (span === null) return null;
  const [header = [], , ...rows] = lines.slice(span.from, span.to).map(cellsOf);
  return { header, rows };
}

/**
 * Replaces the first table below each heading. Further columns of the page stay, row by row: a row is found again by its first cell.
 * A missing heading is added at the end of the page, a missing table at the end of its section.
 * @param level of headings that are added
 */
export function withTables(page: string, tables: ReadonlyMap<string, Table>, level = 2): string {
  let text = page;
  for (const [heading, table] of tables) text = withTable(text, { heading, table, level });
  return text;
}

function withTable(page: string, part: { heading: string; table: Table; level: number }): string {
  const { heading, table, level } = part;
  const section = sectionOf(page, heading);
  if (section === null) return `${page.trimEnd()}\n\n${'#'.repeat(level)} ${heading}\n\n${textOf(table)}\n`;
  const lines = page.split('\n');
  const span = tableSpan(lines, section);
  if (span !== null) {
    const merged = keepColumns(table, tableBelow(page, heading) ?? table);
    return [...lines.slice(0, span.from), textOf(merged), ...lines.slice(span.to)].join('\n');
  }
  const before = lines.slice(0, section.to).join('\n').trimEnd();
  const after = lines.slice(section.to).join('\n');
  return `${before}\n\n${textOf(table)}\n${after === '' ? '' : `\n${after}`}`;
}

/** Lines after the heading, up to the next heading. */
function sectionOf(page: string, heading: string): { from: number; to: number } | null {
  const headings = headingsOf(page);
  const at = headings.findIndex(({ text }) => text === heading);
  const own = headings[at];
  if (own === undefined) return null;
  return { from: own.line + 1, to: headings[at + 1]?.line ?? page.split('\n').length };
}

function tableSpan(lines: readonly string[], section: { from: number; to: number } | null) {
  if (section === null) return null;
  const isRow = (at: number) => at < section.to && lines[at]?.startsWith('|') === true;
  let from = section.from;
  while (from < section.to && !isRow(from)) from++;
  let to = from;
  while (isRow(to)) to++;
  return from === to ? null : { from, to };
}

function keepColumns(table: Table, present: Table): Table {
  const added = present.header.slice(table.header.length);
  const rows = new Map(present.rows.map((row) => [row[0], row.slice(table.header.length)]));
  return {
    header: [...table.header, ...added],
    rows: table.rows.map((row) => [...row, ...added.map((_, at) => rows.get(row[0])?.[at] ?? '')]),
  };
}

/** The cells of a line; a `\|` is part of its cell. */
function cellsOf(line: string): string[] {
  return line
    .replace(/^\|/, '')
    .replace(/\|\s*$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

function textOf({ header, rows }: Table): string {
  const line = (cells: readonly string[]) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;
  return [line(header), `| ${header.map(() => '---').join(' | ')} |`, ...rows.map(line)].join('\n');
}

/** Text in the form of a cell. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const code = (text: string): string => `\`${cell(text)}\``;
