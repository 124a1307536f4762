/**
 * The letters of the Arabic script that several keyboards, fonts and cameras write differently, each with the form in which plates are
 * compared. The letters are escaped, because their forms hardly differ on a screen.
 */

/** The other forms of a letter, by the one that stands for all. The empty text: the character is no letter of a plate. */
export const ARABIC_FORMS: readonly (readonly [letter: string, others: string])[] = [
  // Alef: with madda, with hamza above and below, wasla.
  ['\u0627', '\u0622\u0623\u0625\u0671'],
  // Waw with hamza.
  ['\u0648', '\u0624'],
  // Yeh: with hamza, alef maksura, Persian.
  ['\u064a', '\u0626\u0649\u06cc'],
  // Kaf: Persian and Urdu keheh, swash.
  ['\u0643', '\u06a9\u06aa'],
  // Heh: doachashmee, with yeh above, goal, ae.
  ['\u0647', '\u06be\u06c0\u06c1\u06d5'],
  // A hamza that stands alone, and tatweel, which only makes a word longer.
  ['', '\u0621\u0640'],
];

const FORM_OF = new Map(
  ARABIC_FORMS.flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);
const OTHER_FORM = new RegExp(`[${[...FORM_OF.keys()].join('')}]`, 'gu');

/** @param text NFKC, so that presentation forms are letters already, and hamza has joined its letter */
export function foldArabic(text: string): string {
  return text.replace(OTHER_FORM, (form) => FORM_OF.get(form) ?? form);
}
