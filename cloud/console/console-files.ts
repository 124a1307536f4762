/** The console as the build has made it: its page, and the files that the page asks for, under names that change with their content. */
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** The build puts this folder beside this module (scripts/bundle-console.mjs). */
const FOLDER = new URL('./console-files/', import.meta.url);
const PAGE = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

export interface ConsoleFile {
  type: string;
  plain: Uint8Array<ArrayBuffer>;
  gzipped: Uint8Array<ArrayBuffer>;
}

export interface ConsoleFiles {
  html: string;
  /** By their names. */
  files: ReadonlyMap<string, ConsoleFile>;
}

/** Resolves to null when the build left the console out. Rejects when it made a file of a type that is not served. */
export async function readConsoleFiles(folder = FOLDER): Promise<ConsoleFiles | null> {
  const all = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (all === null) return null;
  const names = all.filter((name) => name !== PAGE);
  const files = await Promise.all(names.map(async (name) => [name, await readConsoleFile(folder, name)] as const));
  return { html: await readFile(new URL(PAGE, folder), 'utf8'), files: new Map(files) };
}

async function readConsoleFile(folder: URL, name: string): Promise<ConsoleFile> {
  const type = TYPES[name.split('.').at(-1) ?? ''];
  if (type === undefined) throw new Error(`the console's build holds ${name}, which is of no type that is served`);
  const plain = new Uint8Array(await readFile(new URL(name, folder)));
  return { type, plain, gzipped: new Uint8Array(await promisify(gzip)(plain, { level: 9 })) };
}
