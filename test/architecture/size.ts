import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { roomOf, wingOf } from './rooms.js';

/** Lines by the path of a file, or by the name of a room. */
export type Lines = Readonly<Record<string, number>>;

/** The figures of `size.json`. */
export interface Sizes {
  rooms: Lines;
  /** The files that are longer than they may be. They become shorter, never longer, and none joins them. */
  longFiles: Lines;
}

/** So many lines a file may have. */
const MOST = 300;

/**
 * How far a figure may be from the one that is written: 20 lines or 1 %, whichever is larger. A commit of a few lines, as most are, leaves the
 * file alone, and branches that change one room do not meet in its figure. Nothing grows unseen by that: the figure that is written stays, so
 * that the lines of many small commits add up until one of them has to write them down.
 */
const leewayOf = (written: number): number => Math.max(20, written / 100);

/** All lines of each source below the folders, blank ones and comments too. */
export function readLines(root: string, folders: readonly string[]): Lines {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return Object.fromEntries(
    paths
      .filter((path) => /\.(tsx?|mjs)$/.test(path))
      .map((path) => [path, readFileSync(join(root, path), 'utf8').split('\n').length - 1]),
  );
}

/** The figures as they have to be written. A long file gets no figure by that, and none that is higher. */
export function sizesOf(files: Lines, written: Sizes): Sizes {
  const rooms: Record<string, number> = {};
  for (const [path, lines] of Object.entries(files)) {
    const room = roomFor(path);
    rooms[room] = (rooms[room] ?? 0) + lines;
  }
  const longFiles = Object.entries(written.longFiles)
    .map(([path, most]) => [path, Math.min(most, files[path] ?? 0)] as const)
    .filter(([, lines]) => lines > MOST);
  return { rooms: settled(rooms, written.rooms), longFiles: settled(Object.fromEntries(longFiles), written.longFiles) };
}

/** The room of a program, or a top folder of all else. A file above the rooms counts for the folder that it is in. */
const roomFor = (path: string): string =>
  roomOf(path) ?? wingOf(path) ?? path.split('/').slice(0, -1).slice(0, 2).join('/');

/** Keeps the figures that are still near enough. */
const settled = (counted: Lines, written: Lines): Lines =>
  Object.fromEntries(
    Object.entries(counted)
      .map(([name, lines]): [string, number] => {
        const old = written[name] ?? 0;
        return [name, Math.abs(lines - old) > leewayOf(old) ? lines : old];
      })
      .filter(([, lines]) => lines > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Says of each figure that has to be written how it changed. */
export const changesOf = (written: Lines, next: Lines): string[] =>
  Object.keys({ ...written, ...next }).flatMap((name) => {
    const [from = 0, to] = [written[name], next[name]];
    if (to === undefined) return [`${name}, ${from} lines before, needs no figure any more`];
    return from === to ? [] : [`${name} ${to > from ? 'grew' : 'shrank'} from ${from} lines to ${to}`];
  });

/** Names the files that are longer than they may be. */
export const tooLong = (files: Lines, { longFiles }: Sizes): string[] =>
  Object.entries(files).flatMap(([path, lines]) => {
    const most = longFiles[path] ?? MOST;
    return lines > most ? [`${path} has ${lines} lines, and may have ${most}`] : [];
  });
