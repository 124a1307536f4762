/**
 * Versions of records: `ETag`, `If-Match`, `If-None-Match` (REST contract, "Versions of a record"). A version is a hash of what GET by id
 * shows, without what time alone moves, so that a record keeps its version until somebody or something changes it.
 */
import { hash } from 'node:crypto';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import type { Caller } from '../../kernel/auth/entry.js';
import { LOCKS, type Tx } from '../../kernel/store/entry.js';

type Ids = Readonly<Record<string, unknown>>;
type Shown = Readonly<Record<string, unknown>>;

/** GET by id of one kind of record. */
export interface RecordReader {
  /** With its parameters in braces. */
  path: string;
  /** Keys that time alone moves. */
  moving: readonly string[];
  /** What GET answers at present; null: there is no such record for the caller. */
  read(request: { caller: Caller; ids: Ids }): Promise<Shown | null>;
}

/** The record that a write acts on. */
export interface ActedOn {
  /** `/v2/zones/5` */
  name: string;
  moving: readonly string[];
  read(): Promise<Shown | null>;
}

/** @param except keys that are left out */
export function versionOf(shown: Shown, except: readonly string[]): string {
  return versionOfText(JSON.stringify(except.length === 0 ? shown : without(shown, except)));
}

/** @param json of a record, all of which counts */
export const versionOfText = (json: string): string => `"${hash('sha1', json, 'base64url')}"`;

/** Whether one of the tags of `If-Match` or `If-None-Match` is this version; `*` is any. Proxies that compress put `W/` before tags. */
export function namesVersion(header: string, version: string): boolean {
  return header.split(',').some((tag) => {
    const name = tag.trim();
    return name === '*' || (name.startsWith('W/') ? name.slice(2) : name) === version;
  });
}

/** Finds the record that stands in a path or before its last words: of `/v2/sessions/{id}/close` it is `/v2/sessions/{id}`. */
export function readerWithin(path: string, readers: ReadonlyMap<string, RecordReader>): RecordReader | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const reader = readers.get(path.slice(0, end));
    if (reader !== undefined) return reader;
  }
  return undefined;
}

/** Finds the reader of what a POST to this path makes. */
export const readerOfItems = (path: string, readers: ReadonlyMap<string, RecordReader>): RecordReader | undefined =>
  readers.get(`${path}/{id}`);

/** @throws ApiError 412 code 23 when the record has none of the versions that `ifMatch` names; undefined names any */
export async function requireVersion({ read, moving }: ActedOn, ifMatch: string | undefined): Promise<void> {
  if (ifMatch === undefined) return;
  const shown = await read();
  if (shown !== null && namesVersion(ifMatch, versionOf(shown, moving))) return;
  throw new ApiError(VALIDATION, {
    status: 412,
    message: 'It was changed since: get it again, and use its new ETag',
  });
}

/**
 * The same, alone with the record until the transaction ends, so that of two writers who name the same version one wins. Writers who name
 * no version acquire it, too: otherwise one of them could commit between the look and the write.
 */
export async function holdVersion(tx: Tx, record: ActedOn, ifMatch: string | undefined): Promise<void> {
  await tx.lock(LOCKS.record(record.name));
  await requireVersion(record, ifMatch);
}

/**
 * The version for the answer to a write: that of the record as GET shows it now, if it is the one that is answered. When somebody else
 * has changed it since, it is a version that the record never has again.
 * @param shownOnce keys of the answer that GET does not show
 */
export async function versionAfter(
  answered: Shown,
  { read, moving }: Pick<ActedOn, 'read' | 'moving'>,
  shownOnce: readonly string[],
): Promise<string> {
  const left = [...moving, ...shownOnce];
  const shown = await read();
  const isShown = ([key, value]: [string, unknown]) => JSON.stringify(value) === JSON.stringify(shown?.[key]);
  if (shown !== null && Object.entries(without(answered, left)).every(isShown)) return versionOf(shown, moving);
  return versionOf(answered, left);
}

const without = (shown: Shown, keys: readonly string[]): Shown =>
  Object.fromEntries(Object.entries(shown).filter(([key]) => !keys.includes(key)));
