import type { SourceFile } from './source-graph.js';

/** How the doc comment of a port begins. */
const PORT = /\/\*\*\s+(?:\* )?Port:/;
const FIRST_WORD = /^([a-z\d]+)-(.+)\.ts$/;

/** `mqtt` and `transport` of `agent/uplink/mqtt-transport.ts`, with its folder. null: its name is one word. */
function partsOf(path: string): { folder: string; word: string; rest: string } | null {
  const slash = path.lastIndexOf('/');
  const [, word, rest] = FIRST_WORD.exec(path.slice(slash + 1)) ?? [];
  return word === undefined || rest === undefined ? null : { folder: path.slice(0, slash), word, rest };
}

const isPackageOf = (word: string, specifier: string): boolean =>
  !specifier.startsWith('node:') && specifier.split(/[^a-z\d]+/).includes(word);

/**
 * Finds the drivers of the programs by what they are. A word stands for a technology in a folder when a file `<word>-*.ts` there imports
 * the package of this name, or fills a port: `<word>-<port>.ts`. All that begins with the word in this folder is the driver.
 */
export function driversOf(files: readonly SourceFile[]): ReadonlySet<string> {
  const programs = files.filter(({ path }) => /^(agent|cloud|shared)\//.test(path));
  const ports = new Set(
    programs
      .filter(({ text }) => PORT.test(text))
      .map(({ path }) => path.slice(path.lastIndexOf('/') + 1, -'.ts'.length)),
  );
  const technologies = new Set<string>();
  for (const { path, imports } of programs) {
    const parts = partsOf(path);
    if (parts === null) continue;
    const { folder, word, rest } = parts;
    const isNamedByPackage = imports.some(({ target, specifier }) => target === null && isPackageOf(word, specifier));
    if (isNamedByPackage || ports.has(rest)) technologies.add(`${folder}/${word}`);
  }
  const isDriver = (path: string): boolean => {
    const parts = partsOf(path);
    return parts !== null && technologies.has(`${parts.folder}/${parts.word}`);
  };
  return new Set(programs.map(({ path }) => path).filter(isDriver));
}
