/** Builds `disk-shim/disk-shim.c`, a disk that fails on command, and reads its trace of the calls it got. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../../../test/faults/disk-shim/disk-shim.c', import.meta.url));

/** Whether the C compiler that builds native packages is here. Under CI its absence is an error. */
export function hasCompiler(): boolean {
  const isThere = spawnSync('cc', ['--version']).status === 0;
  if (isThere) return true;
  if (process.env.CI) throw new Error('the disk fault tests need a C compiler: install build-essential');
  process.stderr.write('SKIPPED: the disk fault tests need a C compiler; install build-essential to run them\n');
  return false;
}

/** Compiles the shim into the directory and returns the value for LD_PRELOAD. */
export function buildDiskShim(directory: string): string {
  const library = join(directory, 'disk-shim.so');
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl', '-lpthread']);
  return library;
}

export type DiskOperation =
  | { kind: 'write'; path: string; offset: number; data: Buffer }
  | { kind: 'sync'; path: string }
  | { kind: 'truncate'; path: string; length: number }
  | { kind: 'rename'; path: string; to: string }
  | { kind: 'unlink'; path: string }
  /** A sync begins to wait until the test lets it go on. */
  | { kind: 'held'; path: string };

/** The calls that the disk got, in order. */
export function readTrace(file: string): DiskOperation[] {
  const bytes = readFileSync(file);
  const operations: DiskOperation[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [kind, offset, pathBytes, dataBytes] = [0, 8, 16, 24].map((word) =>
      Number(bytes.readBigInt64LE(at + word)),
    ) as [number, number, number, number];
    const pathAt = at + 32;
    const path = bytes.toString('utf8', pathAt, pathAt + pathBytes);
    const data = bytes.subarray(pathAt + pathBytes, pathAt + pathBytes + dataBytes);
    at = pathAt + pathBytes + dataBytes;
    operations.push(operationOf(kind, { path, offset, data }));
  }
  return operations;
}

function operationOf(
  kind: number,
  { path, offset, data }: { path: string; offset: number; data: Buffer },
): DiskOperation {
  switch (kind) {
    case 1:
      return { kind: 'write', path, offset, data };
    case 2:
      return { kind: 'sync', path };
    case 3:
      return { kind: 'truncate', path, length: offset };
    case 4:
      return { kind: 'rename', path, to: data.toString('utf8') };
    case 5:
      return { kind: 'unlink', path };
    case 6:
      return { kind: 'held', path };
    default:
      throw new Error(`the trace names an operation ${kind}`);
  }
}

const SECTOR_BYTES = 512;

type Pending = Extract<DiskOperation, { kind: 'write' | 'truncate' }>;

interface FileImage {
  synced: Buffer;
  pending: Pending[];
}

/** A disk that follows a trace and can lose its power at any point of it. */
export function createDiskImage() {
  const files = new Map<string, FileImage>();
  const fileOf = (path: string): FileImage => {
    const file = files.get(path) ?? { synced: Buffer.alloc(0), pending: [] };
    files.set(path, file);
    return file;
  };

  return {
    follow(operation: DiskOperation): void {
      const { path } = operation;
      switch (operation.kind) {
        case 'write':
        case 'truncate':
          fileOf(path).pending.push(operation);
          return;
        case 'sync': {
          const file = files.get(path);
          if (file === undefined) return;
          file.synced = file.pending.reduce(apply, file.synced);
          file.pending = [];
          return;
        }
        case 'rename':
          files.set(operation.to, fileOf(path));
          files.delete(path);
          return;
        case 'unlink':
          files.delete(path);
          return;
        case 'held':
      }
    },
    /** What is there when the power is back: of the writes that were not synced, some are gone and some are torn. */
    losePower(random: () => number): Map<string, Buffer> {
      const image = new Map<string, Buffer>();
      for (const [path, file] of files) {
        const survivors = file.pending.filter(() => random() < 0.5).flatMap((each) => tear(each, random));
        image.set(path, survivors.reduce(apply, file.synced));
      }
      return image;
    },
    /** Everything that was written, as if there were no power cut. */
    contentOf(path: string): Buffer {
      const file = files.get(path);
      return file === undefined ? Buffer.alloc(0) : file.pending.reduce(apply, file.synced);
    },
  };
}

function apply(content: Buffer, operation: Pending): Buffer {
  if (operation.kind === 'truncate') {
    return Buffer.concat([content.subarray(0, operation.length)], operation.length);
  }
  const end = operation.offset + operation.data.length;
  const grown = end > content.length ? Buffer.concat([content], end) : Buffer.from(content);
  operation.data.copy(grown, operation.offset);
  return grown;
}

/** A write that reached the disk only in some of its sectors. */
function tear(operation: Pending, random: () => number): Pending[] {
  if (operation.kind === 'truncate' || random() < 0.5) return [operation];
  const sectors: Pending[] = [];
  for (let at = 0; at < operation.data.length; at += SECTOR_BYTES) {
    const data = operation.data.subarray(at, at + SECTOR_BYTES);
    if (random() < 0.5) sectors.push({ ...operation, offset: operation.offset + at, data });
  }
  return sectors;
}
