/** Finds the line on which an `.env` file sets each variable, and the lines that set none. The values are read by the parser of Node.js. */

export interface EnvFileLines {
  /** Line numbers, from 1, by the variable's name. For a name that is set twice, it is the last line. */
  lines: ReadonlyMap<string, number>;
  /** The numbers of lines that are neither `NAME=value` nor empty nor a comment, and of lines with a quote that is never closed. */
  malformed: readonly number[];
}

const EMPTY = /[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y;
const ASSIGNMENT =
  /[^\S\n]*(?:export[^\S\n]+)?([\w.-]+)[^\S\n]*=[^\S\n]*("[^"]*"|'[^']*'|`[^`]*`|[^\n]*)[^\n]*(?:\n|$)/y;
const ANY = /[^\n]*(?:\n|$)/y;
/** A quoted value may span lines; a value that begins with a quote and does not end with the same one was never closed. */
const UNCLOSED = /^(["'`])(?!.*\1$)/s;

export function parseEnvFileLines(text: string): EnvFileLines {
  const lines = new Map<string, number>();
  const malformed: number[] = [];
  let line = 1;
  for (let at = 0; at < text.length; ) {
    const empty = matchAt(EMPTY, text, at);
    const assignment = empty === null ? matchAt(ASSIGNMENT, text, at) : null;
    const [whole, name, value = ''] = empty ?? assignment ?? matchAt(ANY, text, at) ?? [text.slice(at)];
    if (empty === null && (name === undefined || UNCLOSED.test(value))) malformed.push(line);
    else if (name !== undefined) lines.set(name, line);
    at += whole.length;
    line += whole.split('\n').length - 1;
  }
  return { lines, malformed };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
