/** The files, folders and scripts that a page of the repository, or a comment, names, and which of them are not there. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { ROOT } from './repository-pages.js';

const CODE = /```[^\n]*\n([\s\S]*?)```|`([^`\n]+)`/g;
const FILE_NAME = /^[\w.][\w./-]*\.(?:tsx?|mjs|md|yaml|service)$/;
/** A file that its readers make. */
const SAVED = /\bSave (?:\w+ )+as `([^`\n]+)`/g;
const SCRIPT = /\bnpm run (?:-\S+ )?([\w:]+)/g;
/** A path from the root; patterns (`<name>-driver.ts`, `*-queries.ts`) name no file. */
const FROM_ROOT = /^(?:dist\/)?(?:agent|cloud|shared|test|scripts|systemd|\.ci|\.github)\/[\w./-]*$/;
const FROM_PAGE = /^([\w-]+)\/[\w./-]*$/;

const codeOf = (text: string): string[] => [...text.matchAll(CODE)].map(([, block, span]) => block ?? span ?? '');

const isThere = (path: string): boolean =>
  ['', '.ts', '.tsx', '.mjs'].some((ending) => existsSync(join(ROOT, `${path}${ending}`)));

/** The source of what is compiled, without its ending: `dist/test/seed.js` is made of `test/seed.ts`. */
const sourceOf = (path: string): string => path.replace(/^dist\//, '').replace(/\.js$/, '');

/**
 * Finds what a page names that is not there.
 * @param page its path from the root: a path may begin there, or beside the page; a file may be named by the end of its path
 * @param files all files of the repository
 */
export function missingPaths(page: string, text: string, files: readonly string[]): string[] {
  const saved = [...text.matchAll(SAVED)].map(([, name = '']) => name);
  return missingOf(page, codeOf(text), [...files, ...saved]);
}

/**
 * Finds what the comments of a source file name that is not there. The code may write a file that it names.
 * @param path as `page` of `missingPaths`, and `files` as there
 */
export function missingInComments(path: string, text: string, files: readonly string[]): string[] {
  const { comments } = parseSync(path, text);
  const words = comments.map(({ value }) => value.replaceAll(/[.?!](?=\s|$)/g, ''));
  const isMade = (token: string) => ["'", '`'].some((quote) => text.includes(`${quote}${token}${quote}`));
  return missingOf(path, words, files).filter((token) => !(token.startsWith('dist/') && isMade(token)));
}

function missingOf(page: string, codes: readonly string[], files: readonly string[]): string[] {
  const isEnding = (token: string): boolean => files.some((path) => `/${path}`.endsWith(`/${token}`));
  const isMissing = (token: string): boolean => {
    if (FROM_ROOT.test(token)) return !isThere(sourceOf(token)) && !isThere(join(dirname(page), token));
    const beside = join(dirname(page), token);
    const [, folder] = FROM_PAGE.exec(token) ?? [];
    if (folder !== undefined && existsSync(join(ROOT, dirname(page), folder))) return !isThere(beside);
    return FILE_NAME.test(token) && !isThere(beside) && !isEnding(token);
  };
  const tokens = codes.flatMap((code) => code.split(/[\s'"(),;:=[\]`]+/));
  return [...new Set(tokens)].filter(isMissing);
}

/** Finds the scripts that a page runs with npm and that package.json does not have. */
export function missingScripts(text: string): string[] {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return codeOf(text)
    .flatMap((code) => [...code.matchAll(SCRIPT)].map(([, name = '']) => name))
    .filter((name) => !(name in scripts));
}
