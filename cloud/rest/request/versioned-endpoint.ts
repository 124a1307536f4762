/** What versions of records are to endpoints: which record a request acts on, and which version its answer has. No route says more than its path. */
import type { Caller } from '../../kernel/auth/entry.js';
import type { Change } from '../../kernel/store/entry.js';
import type { Definition, Ids, ReadCall, Request } from './endpoint-definition.js';
import {
  type ActedOn,
  readerOfItems,
  type RecordReader,
  readerWithin,
  versionAfter,
  versionOf,
  versionOfText,
} from './record-version.js';
import { showsRecord } from './route-description.js';

/** What a GET makes its change with. */
export const noChange: Change = () => Promise.reject(new Error('A GET changes nothing'));

const OF_NO_REQUEST = {
  search: '',
  address: '',
  requestId: '',
  namesVersion: false,
  daysAre: () => {},
  warn: () => {},
  signal: () => new AbortController().signal,
  change: noChange,
};

/** Reads as the endpoint's own GET does. */
export function readerOf<Path extends string, Body, Query, Found, Answer>(
  definition: Definition<Caller, Path, Body, Query, Found, Answer>,
): RecordReader {
  const { path, find, handle, moving = [] } = definition;
  return {
    path,
    moving,
    async read({ caller, ids }) {
      const named = { caller, ids: ids as Ids<Path> };
      const found = (await find?.(named)) as Found;
      if (found === null) return null;
      const nothing = { body: undefined as Body, query: undefined as Query, ...OF_NO_REQUEST };
      return (await handle({ ...named, ...nothing, found })) as Record<string, unknown>;
    },
  };
}

interface Asked<Who, Path extends string, Body, Query, Found> {
  definition: Request<Who, Path, Body, Query, Found>;
  call: ReadCall<Who, Path, Body, Query, Found>;
  /** Every GET by id, by its path. */
  records: ReadonlyMap<string, RecordReader>;
}

/** Finds the record that a write of a caller acts on. */
export function actedOn<Who extends Caller | null, Path extends string, Body, Query, Found>({
  definition,
  call,
  records,
}: Asked<Who, Path, Body, Query, Found>): ActedOn | null {
  const { path, named, find, ownId } = definition;
  const { caller } = call;
  if (caller === null || definition.method === 'get') return null;
  if (named !== undefined) {
    const read = async () => {
      const found = (await find?.({ caller, ids: call.ids })) ?? null;
      return found === null ? null : (named(found) as Record<string, unknown>);
    };
    return { name: nameOf(path, call.ids), moving: [], read };
  }
  const reader = ownId === undefined ? readerWithin(path, records) : readerOfItems(parentOf(path), records);
  if (reader === undefined) return null;
  const ids = ownId === undefined ? call.ids : { id: ownId(caller) };
  return { name: nameOf(reader.path, ids), moving: reader.moving, read: () => reader.read({ caller, ids }) };
}

const nameOf = (path: string, ids: Readonly<Record<string, unknown>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name]));

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/** The version of the record that is answered; null: the answer is no record. @param answered.json its data, as text */
export function versionOfAnswer<Who extends Caller | null, Path extends string, Body, Query, Found, Answer>(
  asked: Asked<Who, Path, Body, Query, Found> & { definition: Definition<Who, Path, Body, Query, Found, Answer> },
  { data, json }: { data: Answer; json: string },
): string | null | Promise<string> {
  const { definition, call, records } = asked;
  const { caller } = call;
  const record = data as Record<string, unknown>;
  if (caller === null || definition.method === 'delete') return null;
  if (definition.method === 'get') {
    if (!showsRecord(definition)) return null;
    return definition.moving === undefined ? versionOfText(json) : versionOf(record, definition.moving);
  }
  if (typeof data !== 'object' || data === null) return null;
  // A record that a path names by itself, such as the plan of a lot, has no id of its own.
  if (!('id' in data) && !records.has(definition.path)) return null;
  const made = readerOfItems(definition.path, records);
  const reader =
    made === undefined
      ? actedOn(asked)
      : { moving: made.moving, read: () => made.read({ caller, ids: { id: record.id } }) };
  return versionAfter(record, reader ?? { moving: [], read: async () => null }, definition.shownOnce ?? []);
}
