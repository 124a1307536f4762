/** The files, folders and scripts that a page of the repository names, and which of them are not there. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './repository-pages.js';

const CODE = /```[^\n]*\n([\s\S]*?)```|`([^`\n]+)`/g;
const FILE_NAME = /^[\w./-]+\.(?:ts|mjs|md|yaml|service)$/;
/** A file that its readers make. */
const SAVED = /\bSave (?:\w+ )+as `([^`\n]+)`/g;
const SCRIPT = /\bnpm run (?:-\S+ )?([\w:]+)/g;
/** A path from the root; patterns (`<name>-driver.ts`, `*-queries.ts`) name no file. */
const FROM_ROOT = /^(?:dist\/)?(?:agent|cloud|shared|test|scripts|systemd|\.ci|\.github)\/[\w./-]*$/;
const FROM_PAGE = /^([\w-]+)\/[\w./-]*$/;

const codeOf = (text: string): string[] => [...text.matchAll(CODE)].map(([, block, span]) => block ?? span ?? '');

const isThere = (path: string): boolean =>
  ['', '.ts', '.mjs'].some((ending) => existsSync(join(ROOT, `${path}${ending}`)));

/** The source of what is compiled, without its ending: `dist/test/x.test.js` is made of `test/x.test.ts`. */
const sourceOf = (path: string): string => path.replace(/^dist\//, '').replace(/\.js$/, '');

/**
 * Finds what a page names that is not there.
 * @param page its path from the root: a path may begin there, or beside the page; a name alone may be of any file
 * @param files all files of the repository
 */
export function missingPaths(page: string, text: string, files: readonly string[]): string[] {
  const names = new Set([
    ...files.map((path) => path.slice(path.lastIndexOf('/') + 1)),
    ...[...text.matchAll(SAVED)].map(([, name = '']) => name),
  ]);
  const isMissing = (token: string): boolean => {
    if (FROM_ROOT.test(token)) return !isThere(sourceOf(token)) && !isThere(join(dirname(page), token));
    const beside = join(dirname(page), token);
    const [, folder] = FROM_PAGE.exec(token) ?? [];
    if (folder !== undefined && existsSync(join(ROOT, dirname(page), folder))) return !isThere(beside);
    return FILE_NAME.test(token) && !token.startsWith('/') && !isThere(beside) && !names.has(token);
  };
  const tokens = codeOf(text).flatMap((code) => code.split(/[\s'"(),;:=[\]]+/));
  return [...new Set(tokens)].filter(isMissing);
}

/** Finds the scripts that a page runs with npm and that package.json does not have. */
export function missingScripts(text: string): string[] {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return codeOf(text)
    .flatMap((code) => [...code.matchAll(SCRIPT)].map(([, name = '']) => name))
    .filter((name) => !(name in scripts));
}
