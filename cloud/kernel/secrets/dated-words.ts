/**
 * Passwords of a word that everybody thinks of and the date on which it had to be changed: `Summer2026!`, `winter-2025`, `Ljeto2026!`,
 * `M0nt@g01`. A rule like "a capital, a digit and a sign, another one every season" makes people write them, and so they are tried first.
 */

/** In English, German, Croatian and Hungarian, folded as `foldedText` folds: seasons, months, weekdays, feasts, and what people call such a service. */
const WORDS = `
  spring summer autumn fall winter fruehling fruhling fruehjahr fruhjahr sommer herbst proljece ljeto jesen zima ljeta zime jeseni ljetu zimi
  tavasz nyar osz tel tavaszi nyari oszi teli
  january february march april may june july august september october november december
  jan feb mar apr jun jul aug sep sept oct nov dec okt dez
  januar jaenner janner februar feber maerz marz mai juni juli oktober dezember
  sijecanj veljaca ozujak travanj svibanj lipanj srpanj kolovoz rujan listopad studeni prosinac
  sijecnja veljace ozujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenog studenoga prosinca
  marcius aprilis majus junius julius augusztus szeptember
  monday tuesday wednesday thursday friday saturday sunday
  montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
  ponedjeljak utorak srijeda cetvrtak petak subota nedjelja
  hetfo kedd szerda csutortok pentek szombat vasarnap
  easter christmas ostern weihnachten uskrs bozic husvet karacsony
  password passwort kennwort lozinka zaporka welcome willkommen dobrodosli jelszo udvozlom udvozlet szia hello hallo admin login changeme start
  parking parkplatz parkhaus garage tiefgarage parkiraliste garaza gateway barrier schranke rampa
  parkolo parkolohaz garazs sorompo
`
  .trim()
  .split(/\s+/);

/** Signs that are written for a letter. */
const WRITTEN_FOR: Readonly<Record<string, string>> = {
  a: '[a4@]',
  b: '[b8]',
  e: '[e3€]',
  g: '[g9]',
  i: '[i1!|]',
  l: '[l1!|]',
  o: '[o0]',
  s: '[s5$]',
  t: '[t7+]',
  z: '[z2]',
};

/** What may stand beside the words for a password to be guessed by its words. Each repetition is free. */
const BESIDE = { words: 2, numbers: 2, digitsOfNumber: 4, signs: 3, letters: 1 };
const NAME_CHARS_MIN = 3;
/** Folding can make a text longer. No password is cut in the middle by this that could be one of these. */
const FOLDED_CHARS_MAX = 2_048;

/**
 * @param names of whose password it is, as people write them: of the person, the company, the mail address. Their words count as known
 * @returns whether known words, dates and signs are all that it has
 */
export function isDatedWord(password: string, names: readonly string[]): boolean {
  const words = new Set<string>();
  const rest = foldedText(password).replace(pattern(names.flatMap(wordsIn)), (word) => {
    words.add(word);
    return ' ';
  });
  if (words.size === 0 || words.size > BESIDE.words) return false;
  const numbers = rest.match(/\d+/g) ?? [];
  const signs = rest.match(/[^\p{L}\p{N}\s]/gu) ?? [];
  const letters = rest.match(/\p{L}/gu) ?? [];
  return (
    numbers.every((number) => number.length <= BESIDE.digitsOfNumber) &&
    new Set(numbers).size <= BESIDE.numbers &&
    new Set(signs).size <= BESIDE.signs &&
    new Set(letters).size <= BESIDE.letters
  );
}

/** Without case and accents: `Proljeće` is `proljece`, `Frühling` `fruhling`. */
const foldedText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('đ', 'd')
    .replaceAll('ß', 'ss')
    .slice(0, FOLDED_CHARS_MAX);

const wordsIn = (name: string): string[] =>
  foldedText(name)
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length >= NAME_CHARS_MIN);

/** The longest first: `april` is not `apr` and a rest. */
function pattern(names: readonly string[]): RegExp {
  const words = [...WORDS, ...names].toSorted((one, other) => other.length - one.length);
  return new RegExp(
    words.map((word) => word.replaceAll(/[abegilostz]/g, (letter) => WRITTEN_FOR[letter] ?? '')).join('|'),
    'gu',
  );
}
