/** Finds the programs of this device that have certain sockets open. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { holderName } from './decide-port.js';

export interface Holder {
  /** With the number of its process. */
  name: string;
  isGateway: boolean;
  /** Those of the wanted sockets that it has. */
  inodes: string[];
}

/**
 * Lists them as far as this user may see it. It stops at the first one when no further socket is wanted.
 * @param inodes of sockets. @param root where `/proc` is; `/` but in tests
 */
export async function holdersOf(inodes: readonly string[], root = '/'): Promise<Holder[]> {
  const links = new Map(inodes.map((inode) => [`socket:[${inode}]`, inode]));
  const holders: Holder[] = [];
  for (const process of links.size === 0 ? [] : await programs(root)) {
    const files = join(root, 'proc', process, 'fd');
    const names = await readdir(files).catch(() => []);
    const held = await Promise.all(names.map((name) => readlink(join(files, name)).catch(() => '')));
    const own = held.flatMap((link) => links.get(link) ?? []);
    if (own.length > 0) holders.push({ ...holderName(await commandOf(process, root), process), inodes: own });
    for (const link of held) links.delete(link);
    if (links.size === 0) break;
  }
  return holders;
}

/** Finds a program by its name, whoever runs it. @returns its name with its number; null: it does not run */
export async function programNamed(name: string, root = '/'): Promise<string | null> {
  for (const process of await programs(root)) {
    const found = holderName(await commandOf(process, root), process).name;
    if (found === `${name} (${process})`) return found;
  }
  return null;
}

const programs = async (root: string): Promise<string[]> =>
  (await readdir(join(root, 'proc')).catch(() => [])).filter((name) => /^\d+$/.test(name));

const commandOf = (process: string, root: string): Promise<string> =>
  readFile(join(root, 'proc', process, 'cmdline'), 'utf8').catch(() => '');
