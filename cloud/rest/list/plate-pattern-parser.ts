/**
 * The plates that a person looks for by a part of one, or by one that a camera may have misread. A pattern has `*` for any number of
 * characters and `?` for one. All of it becomes conditions on the normalised plate, which any of our databases understands.
 */
import { alikeCharacters } from '../../../shared/plate/match-plate.js';
import { normalisePlate, PLATE_LENGTH_MAX } from '../../../shared/plate/normalise-plate.js';

const STARS_MAX = 8;

/**
 * Normalises what stands between the wildcards. null: nothing but what no plate has. undefined: it is longer than a plate can be, or has so
 * many `*` that it would be tried in too many ways.
 */
export function parsePlatePattern(text: string): string | null | undefined {
  if (text.length > 4 * PLATE_LENGTH_MAX) return undefined;
  const pattern = text
    .split(/([*?]+)/)
    .map((part, at) => (at % 2 === 0 ? normalisePlate(part) : wildcards(part)))
    .join('');
  if (pattern.length > PLATE_LENGTH_MAX || pattern.split('*').length > STARS_MAX + 1) return undefined;
  return pattern === '' ? null : pattern;
}

/** `*?*` is `?*`: at least one character. */
const wildcards = (run: string): string => run.replaceAll('*', '') + (run.includes('*') ? '*' : '');

/** A pattern as LIKE has it, and the range of texts that begin as it does; null: it begins with a wildcard. */
export function likeOfPattern(pattern: string): { like: string; range: { from: string; to: string } | null } {
  const like = pattern.replaceAll('*', '%').replaceAll('?', '_');
  const [start = ''] = pattern.split(/[*?]/, 1);
  return { like, range: start === '' ? null : { from: start, to: textAfter(start) } };
}

/** The first text, by code points, after all those that begin with this one. */
function textAfter(start: string): string {
  const characters = [...start];
  const last = characters.pop() ?? '';
  return characters.join('') + String.fromCodePoint((last.codePointAt(0) ?? 0) + 1);
}

/** One place of a plate, counted from 1. */
export interface PlaceOfPlate {
  at: number;
  /** Any of these. */
  characters: readonly string[];
}

export interface AlikePlates {
  length: number;
  /** The characters that cameras confuse with those of the plate, at each place. */
  places: PlaceOfPlate[];
  /** LIKE patterns of the plates that are one edit apart, each of which has one of the halves unchanged. */
  edited: { halves: [beginsWith: string, endsWith: string]; patterns: string[] };
}

/** The plates that an exit could take for this one: `looksAlike` (`shared/plate/match-plate.ts`), as conditions. @param plate normalised */
export function alikePlates(plate: string): AlikePlates {
  const characters = [...plate];
  const { length } = characters;
  const half = Math.floor(length / 2);
  const without = (at: number, instead: string) =>
    [...characters.slice(0, at), instead, ...characters.slice(at + 1)].join('');
  const withMore = (at: number) => [...characters.slice(0, at), '_', ...characters.slice(at)].join('');
  const each = characters.map((_, at) => at);
  const patterns = [
    ...each.map((at) => without(at, '_')),
    ...each.map((at) => without(at, '')),
    ...[...each, length].map(withMore),
  ];
  return {
    length,
    places: characters.map((character, at) => ({ at: at + 1, characters: alikeCharacters(character) })),
    edited: {
      halves: [`${characters.slice(0, half).join('')}%`, `%${characters.slice(half).join('')}`],
      patterns: [...new Set(patterns)].filter((pattern) => pattern !== ''),
    },
  };
}
