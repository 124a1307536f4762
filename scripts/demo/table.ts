/** A two-column table with a title line per block, as wide as its longest row. */
export function renderTable(blocks: { title: string; rows: [string, string][] }[]): string {
  const labelWidth = Math.max(...blocks.flatMap((block) => block.rows.map(([label]) => label.length)));
  const lines = blocks.flatMap((block) => [
    '',
    block.title,
    ...block.rows.map(([label, value]) => `  ${label.padEnd(labelWidth)}  ${value}`),
  ]);
  const width = Math.max(...lines.map((line) => line.length));
  return ['='.repeat(width), ...lines.slice(1), '='.repeat(width)].join('\n');
}
