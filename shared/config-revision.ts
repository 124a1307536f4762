/**
 * The revision of a configuration section: the sum of 128-bit hashes of its items. It does not depend on their order, and after a change only
 * the changed items are hashed. The cloud computes it for what it sends; the gateway checks what it holds.
 */
import type { ConfigMessage } from './gateway-config.js';

const UTF8 = new TextEncoder();

/** 32 hex digits. */
export const EMPTY_REVISION = '0'.repeat(32);

/** Computes the revision of all items of a section. */
export function revisionOf(items: Iterable<readonly [key: string, item: unknown]>): string {
  return changeRevision(EMPTY_REVISION, { added: items, removed: [] });
}

/** Computes the revision after items were added and removed. A changed item is removed with its old value and added with its new one. */
export function changeRevision(
  revision: string,
  change: {
    added: Iterable<readonly [key: string, item: unknown]>;
    removed: Iterable<readonly [key: string, item: unknown]>;
  },
): string {
  const sum = wordsOf(revision);
  for (const [key, item] of change.added) addTo(sum, itemHash(key, item), 1);
  for (const [key, item] of change.removed) addTo(sum, itemHash(key, item), -1);
  return hexOf(sum);
}

/** A section with its revision, as a gateway or the cloud holds it. */
export interface HeldSection {
  revision: string;
  items: Map<string, unknown>;
}

/**
 * Applies a snapshot or a delta to `held`, in place. It does so only if the base of the message is the held revision and the result has the
 * revision that the message names. Otherwise `held` stays as it was, and the gateway has to ask for a snapshot.
 */
export function applyConfigMessage(
  held: HeldSection,
  message: Pick<ConfigMessage, 'base' | 'revision' | 'upsert' | 'remove'>,
): 'applied' | 'mismatch' {
  const upserts = Object.entries(message.upsert);
  if (message.base === null) {
    if (revisionOf(upserts) !== message.revision) return 'mismatch';
    held.items.clear();
  } else {
    if (message.base !== held.revision) return 'mismatch';
    const touched = new Set([...message.remove, ...Object.keys(message.upsert)]);
    const removed = [...touched].filter((key) => held.items.has(key)).map((key) => [key, held.items.get(key)] as const);
    if (changeRevision(held.revision, { added: upserts, removed }) !== message.revision) return 'mismatch';
    for (const key of message.remove) held.items.delete(key);
  }
  for (const [key, item] of upserts) held.items.set(key, item);
  held.revision = message.revision;
  return 'applied';
}

function itemHash(key: string, item: unknown): Uint32Array {
  return murmur3(UTF8.encode(`${JSON.stringify(key)}:${canonicalJson(item)}`));
}

/** Writes JSON with the keys of every object sorted, so that two programs write the same text for the same value. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((each) => canonicalJson(each ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(',')}}`;
}

/** Adds or subtracts word by word modulo 2^32, so that an added hash can be subtracted again. */
function addTo(sum: Uint32Array, hash: Uint32Array, sign: 1 | -1): void {
  for (let word = 0; word < 4; word++) sum[word] = (sum[word] ?? 0) + sign * (hash[word] ?? 0);
}

function wordsOf(revision: string): Uint32Array {
  return Uint32Array.from([0, 8, 16, 24], (at) => Number.parseInt(revision.slice(at, at + 8), 16));
}

function hexOf(words: Uint32Array): string {
  return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
}

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;
const rotate = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

function finalMix(word: number): number {
  let mixed = word;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Four bytes as a little-endian number; bytes past the end count as 0. */
function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}

/**
 * MurmurHash3_x86_128 with seed 0 (Austin Appleby, public domain). It detects accidental differences, which is all that a revision needs; it
 * is no protection against attackers.
 */
export function murmur3(bytes: Uint8Array): Uint32Array {
  let [h1, h2, h3, h4] = [0, 0, 0, 0];
  let at = 0;
  for (; at + 16 <= bytes.length; at += 16) {
    h1 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at), C1), 15), C2);
    h1 = Math.imul(rotate(h1, 19) + h2, 5) + 0x561ccd1b;
    h2 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at + 4), C2), 16), C3);
    h2 = Math.imul(rotate(h2, 17) + h3, 5) + 0x0bcaa747;
    h3 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at + 8), C3), 17), C4);
    h3 = Math.imul(rotate(h3, 15) + h4, 5) + 0x96cd1c35;
    h4 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at + 12), C4), 18), C1);
    h4 = Math.imul(rotate(h4, 13) + h1, 5) + 0x32ac3b17;
  }
  h4 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at + 12), C4), 18), C1) ^ bytes.length;
  h3 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at + 8), C3), 17), C4) ^ bytes.length;
  h2 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at + 4), C2), 16), C3) ^ bytes.length;
  h1 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at), C1), 15), C2) ^ bytes.length;
  h1 = (h1 + h2 + h3 + h4) | 0;
  h2 = finalMix(h2 + h1);
  h3 = finalMix(h3 + h1);
  h4 = finalMix(h4 + h1);
  h1 = finalMix(h1);
  h1 = (h1 + h2 + h3 + h4) | 0;
  return Uint32Array.of(h1, h2 + h1, h3 + h1, h4 + h1);
}
