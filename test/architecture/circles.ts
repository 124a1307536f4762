import { roomOf } from './rooms.js';
import type { SourceFile } from './source-graph.js';

/** A file or a room, with what it imports. */
type Importer = Pick<SourceFile, 'path'> & { imports: readonly { target: string | null }[] };

/** `cloud/traffic/session` of `cloud/traffic/session/session-bill.ts`. A file beside the rooms stands for itself: what puts rooms together is above them. */
const roomOrFile = (path: string): string =>
  roomOf(path) ?? path.split('/', path.startsWith('cloud/') ? 3 : 2).join('/');

/** The circles of rooms, types counted too: each with the imports that lead from one of its rooms to another, `from: target`. */
export function circlesOfRooms(files: readonly Importer[]): { rooms: string[]; imports: string[] }[] {
  const crossings = files.flatMap(({ path, imports }) =>
    imports.flatMap(({ target }) =>
      target === null || roomOrFile(target) === roomOrFile(path) ? [] : [{ from: path, target }],
    ),
  );
  const rooms = [...new Set(files.map(({ path }) => roomOrFile(path)))].map((room) => ({
    path: room,
    imports: crossings
      .filter(({ from }) => roomOrFile(from) === room)
      .map(({ target }) => ({ target: roomOrFile(target) })),
  }));
  return circlesOf(rooms).map((circle) => ({
    rooms: circle,
    imports: crossings
      .filter(({ from, target }) => circle.includes(roomOrFile(from)) && circle.includes(roomOrFile(target)))
      .map(({ from, target }) => `${from}: ${target}`),
  }));
}

/**
 * The circles of imports: groups of files each of which reaches every other one, types counted too. A file that imports itself is one.
 * Tarjan's strongly connected components, without recursion: the house may be deep.
 */
export function circlesOf(files: readonly Importer[]): string[][] {
  const known = new Set(files.map(({ path }) => path));
  const targets = new Map(
    files.map(({ path, imports }) => [
      path,
      [...new Set(imports.flatMap(({ target }) => (target !== null && known.has(target) ? [target] : [])))],
    ]),
  );
  const indices = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const circles: string[][] = [];

  for (const { path: start } of files) {
    if (indices.has(start)) continue;
    const walk: { path: string; next: number }[] = [];
    const enter = (path: string) => {
      indices.set(path, indices.size);
      lowest.set(path, indices.size - 1);
      open.push(path);
      isOpen.add(path);
      walk.push({ path, next: 0 });
    };
    enter(start);
    for (let step = walk.at(-1); step !== undefined; step = walk.at(-1)) {
      const { path } = step;
      const target = targets.get(path)?.[step.next];
      step.next += 1;
      if (target !== undefined) {
        if (!indices.has(target)) enter(target);
        else if (isOpen.has(target)) lower(lowest, path, indices.get(target));
        continue;
      }
      walk.pop();
      const parent = walk.at(-1)?.path;
      if (parent !== undefined) lower(lowest, parent, lowest.get(path));
      if (lowest.get(path) !== indices.get(path)) continue;
      const circle = open.splice(open.lastIndexOf(path));
      for (const member of circle) isOpen.delete(member);
      if (circle.length > 1 || targets.get(path)?.includes(path)) circles.push(circle.toSorted());
    }
  }
  return circles;
}

function lower(lowest: Map<string, number>, path: string, to: number | undefined): void {
  lowest.set(path, Math.min(lowest.get(path) ?? Number.POSITIVE_INFINITY, to ?? Number.POSITIVE_INFINITY));
}
