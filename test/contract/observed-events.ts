/** The shapes of all events a run of the suite hears, collected over its processes: which keys, in which combinations. */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Set for the test processes by `observed-events-setup.ts`. */
const DIRECTORY = 'OBSERVED_EVENTS_DIR';

/** `data.lot.id`, `places[].id`: every key of a payload, with its parents. */
export function keyPaths(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => keyPaths(item, `${prefix}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    return [path, ...keyPaths(inner, path)];
  });
}

const seen = new Set<string>();

/** Remembers the shape of an event's payload. */
export function observe(event: string, payload: unknown): void {
  const directory = process.env[DIRECTORY];
  if (directory === undefined) return;
  const line = JSON.stringify([event, [...new Set(keyPaths(payload))].toSorted()]);
  if (seen.has(line)) return;
  seen.add(line);
  appendFileSync(join(directory, `${process.pid}.jsonl`), `${line}\n`);
}

export const observedDirectoryVariable = DIRECTORY;

/** Every combination of keys each event was seen with. */
export function readObserved(directory: string): Map<string, string[][]> {
  const combinations = new Map<string, Map<string, string[]>>();
  for (const name of readdirSync(directory)) {
    for (const line of readFileSync(join(directory, name), 'utf8').trimEnd().split('\n')) {
      const [event, paths] = JSON.parse(line) as [string, string[]];
      const ofEvent = combinations.get(event) ?? new Map<string, string[]>();
      combinations.set(event, ofEvent.set(line, paths));
    }
  }
  return new Map([...combinations].map(([event, ofEvent]) => [event, [...ofEvent.values()]]));
}
