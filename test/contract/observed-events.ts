/** The shapes of all events in a test run, collected over its processes: how often they came, and with which keys. */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Set for the test processes by `observed-events-reporter.ts`. */
export const observedDirectoryVariable = 'OBSERVED_EVENTS_DIR';

/** `data.lot.id`, `places[].id`: every key of a payload, with its parents. */
export function keyPaths(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => keyPaths(item, `${prefix}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    return [path, ...keyPaths(inner, path)];
  });
}

/** By directory: numbers of the shapes that this process has written there. Only the first line of a shape in the file has its keys. */
const shapesOf = new Map<string, Map<string, number>>();

/** Remembers the shape of an event's payload. */
export function observe(event: string, payload: unknown): void {
  const directory = process.env[observedDirectoryVariable];
  if (directory === undefined) return;
  const shapes = shapesOf.get(directory) ?? new Map<string, number>();
  shapesOf.set(directory, shapes);
  const paths = [...new Set(keyPaths(payload))].toSorted();
  const shape = `${event} ${paths.join(' ')}`;
  const known = shapes.get(shape);
  const number = known ?? shapes.size;
  shapes.set(shape, number);
  const line = known === undefined ? [number, event, paths] : [number];
  appendFileSync(join(directory, `${process.pid}.jsonl`), `${JSON.stringify(line)}\n`);
}

/** One event as it was seen in a run. */
export interface ObservedEvent {
  times: number;
  /** Every combination of keys it had. */
  combinations: string[][];
}

/** Reads what the processes of a run wrote into the directory, by event. */
export function readObserved(directory: string): Map<string, ObservedEvent> {
  const observed = new Map<string, ObservedEvent>();
  const known = new Set<string>();
  for (const name of readdirSync(directory)) {
    const ofProcess = new Map<number, string>();
    for (const line of readFileSync(join(directory, name), 'utf8').trimEnd().split('\n')) {
      const [number, heard, paths] = JSON.parse(line) as [number, string?, string[]?];
      const event = heard ?? ofProcess.get(number) ?? '';
      ofProcess.set(number, event);
      const ofEvent = observed.get(event) ?? { times: 0, combinations: [] };
      observed.set(event, ofEvent);
      ofEvent.times += 1;
      const shape = `${event} ${paths?.join(' ')}`;
      if (paths === undefined || known.has(shape)) continue;
      known.add(shape);
      ofEvent.combinations.push(paths);
    }
  }
  return observed;
}
