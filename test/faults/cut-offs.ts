/** Every state of a folder in which what a program does there may be cut off: by the end of the program, or by that of the power. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DiskOperation } from './disk-shim.js';

/** Content by path. */
export type Files = ReadonlyMap<string, Buffer>;

export interface CutOff {
  /** For people: after which operation, and how. */
  at: string;
  files: Files;
}

export function filesOf(directory: string): Files {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name));
  return new Map(paths.filter((path) => statSync(path).isFile()).map((path) => [path, readFileSync(path)]));
}

/** Has nothing in the folder but these files. */
export function putBack(directory: string, files: Files): void {
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
  for (const [path, content] of files) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, content, { mode: 0o600 });
  }
}

interface Inode {
  content: Buffer;
  synced: Buffer;
}

/**
 * Lists the states that a trace leads through, each different from the one before.
 * @param asOne files whose changes alone make no other state: they have tests of their own
 */
export function* cutOffs(before: Files, trace: readonly DiskOperation[], asOne: RegExp): Generator<CutOff> {
  const disk = createDisk(before);
  let last = '';
  for (const [index, operation] of [null, ...trace].entries()) {
    const at = operation === null ? 'before everything' : `after ${index}: ${operation.kind} ${operation.path}`;
    const half = operation?.kind === 'write' ? disk.with(halfOf(operation)) : null;
    if (operation !== null) disk.follow(operation);
    const states: [string, Files | null][] = [
      [`${at}, half done`, half],
      [`${at}, killed`, disk.files({ hasData: true, hasNames: true })],
      [`${at}, without what was not synced`, disk.files({ hasData: false, hasNames: true })],
      [`${at}, without names that were not synced`, disk.files({ hasData: true, hasNames: false })],
      [`${at}, without either`, disk.files({ hasData: false, hasNames: false })],
    ];
    for (const [name, files] of states) {
      if (files === null) continue;
      const print = printOf(files, asOne);
      if (print !== last) yield { at: name, files };
      last = print;
    }
  }
}

type Write = Extract<DiskOperation, { kind: 'write' }>;
const halfOf = (write: Write): Write => ({ ...write, data: write.data.subarray(0, write.data.length >> 1) });

const printOf = (files: Files, asOne: RegExp): string =>
  JSON.stringify(
    [...files]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, data]) => [path, asOne.test(path) ? '' : data.toString('latin1')]),
  );

/** A disk that forgets what was not synced: of a file its content, of a folder its names. */
function createDisk(before: Files) {
  const names = new Map<string, Inode>([...before].map(([path, content]) => [path, { content, synced: content }]));
  const syncedNames = new Map(names);
  const inodeOf = (path: string): Inode => {
    const inode = names.get(path) ?? { content: Buffer.alloc(0), synced: Buffer.alloc(0) };
    names.set(path, inode);
    return inode;
  };

  function follow(operation: DiskOperation): void {
    const { path } = operation;
    switch (operation.kind) {
      case 'write': {
        const inode = inodeOf(path);
        inode.content = written(inode.content, operation);
        return;
      }
      case 'truncate': {
        const inode = inodeOf(path);
        inode.content = Buffer.concat([inode.content.subarray(0, operation.length)], operation.length);
        return;
      }
      case 'sync': {
        const inode = names.get(path);
        if (inode !== undefined) inode.synced = inode.content;
        else syncNames(path);
        return;
      }
      case 'rename':
        names.set(operation.to, inodeOf(path));
        names.delete(path);
        return;
      case 'unlink':
        names.delete(path);
        return;
      case 'held':
    }
  }

  function syncNames(folder: string): void {
    for (const path of syncedNames.keys()) if (dirname(path) === folder) syncedNames.delete(path);
    for (const [path, inode] of names) if (dirname(path) === folder) syncedNames.set(path, inode);
  }

  return {
    follow,
    files: ({ hasData, hasNames }: { hasData: boolean; hasNames: boolean }): Files =>
      new Map(
        [...(hasNames ? names : syncedNames)].map(([path, { content, synced }]) => [path, hasData ? content : synced]),
      ),
    /** The state when the program is killed in the middle of a write. */
    with({ path, offset, data }: Write): Files {
      const files = new Map([...names].map(([name, { content }]) => [name, content]));
      return files.set(path, written(files.get(path) ?? Buffer.alloc(0), { offset, data }));
    },
  };
}

function written(content: Buffer, { offset, data }: Pick<Write, 'offset' | 'data'>): Buffer {
  const end = offset + data.length;
  const grown = end > content.length ? Buffer.concat([content], end) : Buffer.from(content);
  data.copy(grown, offset);
  return grown;
}
