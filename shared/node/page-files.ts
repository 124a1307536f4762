/** A console as the build has made it: its page, and the files that the page asks for, under names that change with their content. */
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from '../accepts-gzip.js';

const PAGE = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * The sources that a page may load from: own files and requests, and pictures that it has fetched. Nothing inline, and
 * no page around it.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface PageFile {
  type: string;
  plain: Uint8Array<ArrayBuffer>;
  gzipped: Uint8Array<ArrayBuffer>;
}

export interface PageFiles {
  html: string;
  /** By their names. */
  files: ReadonlyMap<string, PageFile>;
}

/** @param folder as `scripts/bundle-console.mjs` has filled it. Resolves to null when the build left it out. Rejects when it made a file of a type that is not served. */
export async function readPageFiles(folder: URL): Promise<PageFiles | null> {
  const all = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (all === null) return null;
  const names = all.filter((name) => name !== PAGE);
  const files = await Promise.all(names.map(async (name) => [name, await readPageFile(folder, name)] as const));
  return { html: await readFile(new URL(PAGE, folder), 'utf8'), files: new Map(files) };
}

async function readPageFile(folder: URL, name: string): Promise<PageFile> {
  const type = TYPES[name.split('.').at(-1) ?? ''];
  if (type === undefined) throw new Error(`the console's build holds ${name}, which is of no type that is served`);
  const plain = new Uint8Array(await readFile(new URL(name, folder)));
  return { type, plain, gzipped: new Uint8Array(await promisify(gzip)(plain, { level: 9 })) };
}

/** Answers a file of a page, compressed where `Accept-Encoding` allows that; null: there is none of this name. Its name changes with its content. */
export function answerFile(
  page: PageFiles | null,
  { name = '', acceptEncoding }: { name: string | undefined; acceptEncoding: string | undefined },
): { headers: Record<string, string>; body: Uint8Array<ArrayBuffer> } | null {
  const file = page?.files.get(name);
  if (file === undefined) return null;
  const isGzipAccepted = acceptsGzip(acceptEncoding);
  return {
    headers: {
      'Content-Type': file.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
      ...(isGzipAccepted ? { 'Content-Encoding': 'gzip' } : {}),
    },
    body: isGzipAccepted ? file.gzipped : file.plain,
  };
}
