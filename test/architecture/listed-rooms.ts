import { crossings } from './house-rules.js';
import { roomOf, wingOf } from './rooms.js';
import type { SourceFile } from './source-graph.js';

/** The rooms that the table in a program's README names (`cloud/traffic/session`), in its order. */
export function listedRooms(program: string, readme: string): string[] {
  const [, rows = ''] = /^\| Room \|.*\n\| ---.*\n((?:\|.*\n)+)/m.exec(readme) ?? [];
  return rows
    .split('\n')
    .flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([\w-]+(?:\/[\w-]+)?)`/g)].map(([, name]) => `${program}/${name}`),
    );
}

/** What is wrong with a list of a program's rooms: rooms that are missing or not there, and imports of a room that stands later. */
export function listFaults(program: string, listed: readonly string[], files: readonly SourceFile[]): string[] {
  const own = files.filter(({ path }) => path.startsWith(`${program}/`));
  const rooms = new Set(own.flatMap(({ path }) => roomOf(path) ?? []));
  const late = crossings(own).filter(({ from, room }) => listed.indexOf(room) > listed.indexOf(roomOf(from) ?? ''));
  const wings = [...new Set(listed.map((room) => wingOf(`${room}/`)))];
  const lateWings = own.flatMap(({ path, imports }) =>
    imports
      .map(({ target }) => ({ from: path, target: target ?? '' }))
      .filter(({ target }) => roomOf(path) !== null && /^cloud\/(?:kernel\/)?[^/]+\/entry\.ts$/.test(target))
      .filter(({ target }) => wings.indexOf(wingOf(target)) >= wings.indexOf(wingOf(path))),
  );
  return [
    ...[...rooms].filter((room) => !listed.includes(room)).map((room) => `${room} is missing`),
    ...listed.filter((room) => !rooms.has(room)).map((room) => `${room} is no room`),
    ...[...late, ...lateWings].map(({ from, target }) => `${from}: ${target} stands later`),
  ];
}
