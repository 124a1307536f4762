/** The pages of the repository, and the comments that cite them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
export const CONTRACT = join(ROOT, 'shared/contract');

const NOT_OURS = new Set(['node_modules', 'dist', '.git', '.data', 'coverage']);

/** Paths, from the root, of all files with one of the endings. */
export function filesOf(endings: readonly string[], directory = ROOT): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return filesOf(endings, path);
    return endings.some((ending) => entry.name.endsWith(ending)) ? [relative(ROOT, path)] : [];
  });
}

export const readPage = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** A place of a page that a comment cites: `REST contract, "Commands"`. */
export interface Citation {
  file: string;
  /** `REST contract`, in lower case. */
  contract: string;
  /** The quotes after it: first a heading, then words below that heading. */
  quotes: string[];
}

const CITATION =
  /\b(rest contract|realtime contract|uplink contract|run contract|specification)((?:,\s+(?:\*\s+)?"[^"]+")+)/gi;

/** Citations with a heading in the comments of one file. */
export function citationsOf(file: string, text: string): Citation[] {
  return [...text.matchAll(CITATION)].map(([, contract = '', quotes = '']) => ({
    file,
    contract: contract.toLowerCase(),
    quotes: [...quotes.matchAll(/"([^"]+)"/g)].map(([, quote = '']) => quote.replaceAll(/\s*\n\s*(\*|\/\/)?\s*/g, ' ')),
  }));
}
