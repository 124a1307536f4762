/** Reads CSV as RFC 4180 has it: one object per line, by the names of the header. */
export function readCsv(text: string): Record<string, string>[] {
  const [header = [], ...lines] = readLines(text);
  return lines.map((cells) => Object.fromEntries(header.map((name, index) => [name, cells[index] ?? ''])));
}

function readLines(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') cell += text[++at];
      else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === ',') {
      line.push(cell);
      cell = '';
    } else if (character === '\r' && text[at + 1] === '\n') {
      lines.push([...line, cell]);
      line = [];
      cell = '';
      at++;
    } else cell += character;
  }
  if (cell !== '' || line.length > 0 || quoted) throw new Error('the last line has no end');
  return lines;
}
