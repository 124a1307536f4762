/** The server key, on which all secrets of this cloud rest: 32 bytes, in the environment or in DATA_DIR. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const KEY_BYTES = 32;
const FILE_NAME = 'server-keys.json';
const fileSchema = z.strictObject({ version: z.literal(1), server_key: z.string().regex(/^[0-9a-f]{64}$/) });

/**
 * Loads the server key: the given one, or the one in `server-keys.json` in the data directory, which the first start generates.
 * Sealed secrets cannot be opened without it, so it belongs in the backup of the database.
 * @param options.serverKey 64 hex digits, or null
 */
export function loadServerKey(options: { dataDir: string; serverKey: string | null }): Uint8Array {
  if (options.serverKey !== null) return Buffer.from(options.serverKey, 'hex');
  const path = join(options.dataDir, FILE_NAME);
  return readKeyFile(path) ?? generateKeyFile(options.dataDir, path);
}

/** Copies the server keys of a data directory into a new file, readable by its owner only. @throws when there are none */
export function copyServerKeys(options: { dataDir: string; to: string }): void {
  const path = join(options.dataDir, FILE_NAME);
  if (readKeyFile(path) === undefined) {
    throw new Error(`There are no server keys ${path}: without those of the database, nobody opens its secrets`);
  }
  const content = readFileSync(path);
  try {
    const file = openSync(options.to, 'wx', 0o600);
    writeSync(file, content);
    sync(file);
  } catch (error) {
    throw new Error(`Cannot write ${options.to}: check its directory's owner and rights`, { cause: error });
  }
}

function readKeyFile(path: string): Uint8Array | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`Cannot read the server keys ${path}: check the file's owner and rights`, { cause: error });
  }
  // A file that was restored from a copy may have other rights.
  chmodSync(path, 0o600);
  try {
    return Buffer.from(fileSchema.parse(JSON.parse(text)).server_key, 'hex');
  } catch (error) {
    const hint = 'put the one back that belongs to the database (a new one could not open its secrets)';
    throw new Error(`The server keys ${path} are damaged: ${hint}`, { cause: error });
  }
}

/**
 * The file is written under another name and linked into place, so that two programs that start at once end up with the same file,
 * and a crash leaves no half file.
 */
function generateKeyFile(dataDir: string, path: string): Uint8Array {
  const temporary = `${path}.${process.pid}.tmp`;
  const content = { version: 1, server_key: randomBytes(KEY_BYTES).toString('hex') };
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const file = openSync(temporary, 'w', 0o600);
    writeSync(file, `${JSON.stringify(content)}\n`);
    sync(file);
    linkSync(temporary, path);
    // This comes before anything is sealed with the key: a power cut must not leave the database without it.
    sync(openSync(dataDir, 'r'));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
      throw new Error(`Cannot write the server keys ${path}: check its directory's owner and rights`, { cause: error });
    }
  } finally {
    rmSync(temporary, { force: true });
  }
  const key = readKeyFile(path);
  if (key === undefined) throw new Error(`The server keys ${path} are gone again: who removes them?`);
  return key;
}

function sync(file: number): void {
  fsyncSync(file);
  closeSync(file);
}
