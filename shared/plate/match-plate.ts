/**
 * Finds plates that may be misreadings of one another (REST contract, "Allowed values"). Look-alikes and plates that
 * are one edit apart count only at an exit, and only when exactly one open session fits. They never count for
 * whitelists or for the reads of one camera; a misreading by a second camera of the same product is the same vehicle
 * (`differsByLetter`).
 */

/**
 * Groups of characters that cameras confuse. The first one represents its group. Cyrillic and Greek letters are escaped, because they look
 * like Latin ones.
 */
const LOOK_ALIKE_GROUPS = [
  '0OQD\u041e\u039f\u051a',
  '1IL\u0406\u04c0\u0399',
  '8B\u0412\u0392',
  '5S\u0405',
  '2Z\u0396',
  '6G',
  'A\u0410\u0391',
  'C\u0421',
  'E\u0415\u0395',
  'H\u041d\u0397\u04ba',
  'J\u0408\u037f',
  'K\u041a\u039a',
  'M\u041c\u039c',
  'N\u039d',
  'P\u0420\u03a1',
  'T\u0422\u03a4',
  'W\u051c',
  'X\u0425\u03a7',
  'Y\u0423\u03a5\u04ae',
];

const FOLD = new Map<string, string>();
for (const group of LOOK_ALIKE_GROUPS) {
  const [first = ''] = group;
  for (const character of group) FOLD.set(character, first);
}

/** The characters that cameras confuse with this one, and itself. */
export const alikeCharacters = (character: string): readonly string[] => [
  ...(LOOK_ALIKE_GROUPS.find((group) => group.includes(character)) ?? character),
];

/** Replaces each character of the plate by the representative of its group. `plate` is normalised. */
export function foldPlate(plate: string): string {
  let folded = '';
  for (const character of plate) folded += FOLD.get(character) ?? character;
  return folded;
}

/** Says whether inserting, removing or replacing at most one character turns one text into the other. */
function withinOneEdit(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start++;
  let end = 0;
  while (end < short.length - start && short[short.length - 1 - end] === long[long.length - 1 - end]) end++;
  return long.length - start - end <= 1;
}

/**
 * Says whether two normalised plates may be misreadings of one another: they differ only in look-alike characters, or
 * are one edit apart.
 */
export function looksAlike(a: string, b: string): boolean {
  return withinOneEdit(a, b) || foldPlate(a) === foldPlate(b);
}

const DIGITS = /[0-9]/g;

/**
 * Says whether two cameras that see one vehicle may have read these two plates: they differ only in look-alike
 * characters, or are one edit apart, and that is of a letter. Plates that differ in a digit are those of two vehicles:
 * fleets have numbers in a row.
 */
export function differsByLetter(a: string, b: string): boolean {
  return foldPlate(a) === foldPlate(b) || (withinOneEdit(a, b) && a.replace(DIGITS, '') !== b.replace(DIGITS, ''));
}

/** The part of a session that a match needs. `plate` is normalised. `fold` is its `foldPlate`, stored because it is compared often. */
interface MatchableSession {
  plate: string;
  fold: string;
  began_ms: number;
}

export type ExitMatch<Session> = { kind: 'exact' | 'look_alike'; session: Session };

/**
 * Finds the open session of a leaving vehicle: the newest exact match, otherwise a look-alike if exactly one fits, otherwise null. `plate` is
 * normalised.
 */
export function matchExit<Session extends MatchableSession>(
  plate: string,
  openSessions: Iterable<Session>,
): ExitMatch<Session> | null {
  const fold = foldPlate(plate);
  let exact: Session | null = null;
  let alike: Session | null = null;
  let alikeCount = 0;
  for (const session of openSessions) {
    // A session that was started manually without a plate matches no vehicle. Its empty plate would be one edit from every plate of one
    // letter.
    if (session.plate === '') continue;
    if (session.plate === plate) {
      if (exact === null || session.began_ms > exact.began_ms) exact = session;
    } else if (session.fold === fold || withinOneEdit(session.plate, plate)) {
      alike = session;
      alikeCount++;
    }
  }
  if (exact !== null) return { kind: 'exact', session: exact };
  return alike !== null && alikeCount === 1 ? { kind: 'look_alike', session: alike } : null;
}
