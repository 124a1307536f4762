import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

/** One import as it stands in a source file: of a file of the project (`target`) or of a package (`specifier`). */
export interface SourceImport {
  specifier: string;
  /** Path from the root of the project, or null for packages and node:*. */
  target: string | null;
}

export interface SourceFile {
  /** Path from the root of the project. */
  path: string;
  text: string;
  imports: SourceImport[];
}

/** All TypeScript sources below the folders, with what they import (types too: a room that knows another's type knows the room). */
export function readSourceGraph(root: string, folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => readSourceFile(root, join(folder, name))),
  );
}

function readSourceFile(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, text, imports: importsOf(path, text).map((specifier) => resolveImport(root, path, specifier)) };
}

const REQUIRE = /\brequire\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Comments may speak of what code may not do. */
export const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');

/** The module specifiers a source names: imports, re-exports, dynamic imports and `require(...)` with a literal. */
export function importsOf(path: string, text: string): string[] {
  const { module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const dynamic = module.dynamicImports.map((entry) => text.slice(entry.moduleRequest.start, entry.moduleRequest.end));
  return [
    ...module.staticImports.map((entry) => entry.moduleRequest.value),
    ...module.staticExports.flatMap((entry) => entry.entries.flatMap((item) => item.moduleRequest?.value ?? [])),
    ...dynamic.filter((literal) => /^['"]/.test(literal)).map((literal) => literal.slice(1, -1)),
    ...[...withoutComments(text).matchAll(REQUIRE)].map((match) => match[1] ?? ''),
  ];
}

function resolveImport(root: string, from: string, specifier: string): SourceImport {
  if (!specifier.startsWith('.')) return { specifier, target: null };
  const target = relative(root, resolve(root, dirname(from), specifier)).replace(/\.js$/, '.ts');
  return { specifier, target };
}
