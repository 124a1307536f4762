/**
 * The one rule for plates that people type and programs send (REST contract, "Allowed values"): REST, site file,
 * import and console judge by it. Plates that cameras read are not held to it.
 */
import { normalisePlate } from './normalise-plate.js';

/** The maximum of letters and digits, counted after normalising. */
export const PLATE_SIGNS_MAX = 15;
/** The maximum length with what stands between the letters and digits. */
export const TYPED_PLATE_LENGTH_MAX = 64;

export type PlateFault =
  | { kind: 'empty' | 'noLetters' | 'tooLong' }
  /** Two or more plates stand in the one field. */
  | { kind: 'several'; plates: readonly string[] }
  /** No plate has this character there. */
  | { kind: 'sign'; sign: string };

/** `plate` is the text without blanks around it; otherwise it is spelled as it was given. */
export type TypedPlate = { plate: string; fault: null } | { plate: null; fault: PlateFault };

/**
 * Letters and digits of any script; between them only these. Letters of India and Thailand have vowel signs, which are of their script;
 * a mark of no script stands on nothing that a plate has.
 */
const PLATE = /^[\p{L}\p{Nd}](?:(?!\p{Script=Inherited})\p{M}|[\p{Zs}.·-]*[\p{L}\p{Nd}])*$/u;
const NOT_IN_PLATE = /[^\p{L}\p{Nd}\p{M}\p{Zs}.·-]|(?=\p{Script=Inherited})\p{M}/u;
/** The separators of two plates, in any script. */
const BETWEEN_PLATES = /[,;|/\\&+\t\n\v\f\r\u2028\u2029،؛、，；｜／＼＆＋]+/u;
/** A longer text is not looked through for several plates. */
const SEVERAL_LENGTH_MAX = 1_000;
/** Fewer letters and digits beside such a separator are hardly a plate. */
const PART_SIGNS_MIN = 3;
/** Fewer letters and digits beside a blank are a part of one plate: Indian plates are written `MH12 DE1433`. */
const WORD_SIGNS_MIN = 5;

export function judgePlate(text: string): TypedPlate {
  const plate = text.trim();
  const fault = faultOf(plate);
  return fault === null ? { plate, fault } : { plate: null, fault };
}

/** Lists the plates that a text holds: the several that stand in it, or itself. */
export function platesIn(text: string): readonly string[] {
  const { plate, fault } = judgePlate(text);
  if (fault?.kind === 'several') return fault.plates;
  return fault?.kind === 'empty' ? [] : [plate ?? text.trim()];
}

function faultOf(plate: string): PlateFault | null {
  if (plate === '') return { kind: 'empty' };
  const plates = plate.length > SEVERAL_LENGTH_MAX ? [] : severalIn(plate);
  if (plates.length > 1) return { kind: 'several', plates };
  // A letter may be written as several characters, and full width letters and signs are the same as narrow ones.
  const written = plate.normalize('NFKC');
  const sign = NOT_IN_PLATE.exec(written)?.[0];
  if (sign !== undefined) return { kind: 'sign', sign };
  const signs = signsOf(plate);
  if (signs === 0) return { kind: 'noLetters' };
  if (signs > PLATE_SIGNS_MAX || plate.length > TYPED_PLATE_LENGTH_MAX) return { kind: 'tooLong' };
  return PLATE.test(written) ? null : { kind: 'sign', sign: edgeOf(written) };
}

const signsOf = (text: string): number => [...normalisePlate(text)].length;

/** The sign with which a text of letters, digits and signs begins or ends. */
const edgeOf = (written: string): string => (/^[^\p{L}\p{Nd}]/u.exec(written) ?? /.$/u.exec(written))?.[0] ?? '';

function severalIn(plate: string): string[] {
  const parts = plate.split(BETWEEN_PLATES).map((each) => each.trim());
  if (parts.length > 1) return parts.every((each) => signsOf(each) >= PART_SIGNS_MIN) ? parts : [];
  return severalWords(plate);
}

/** Plates between which only blanks stand: more than one plate could hold, or one after the other in the same form. */
function severalWords(plate: string): string[] {
  const words = plate.split(/\p{Zs}+/u);
  if (words.length === 1) return [];
  if (signsOf(plate) > PLATE_SIGNS_MAX && words.every(isLikePlate)) return words;
  for (let gap = 1; gap < words.length; gap++) {
    const [first, second] = [words.slice(0, gap).join(' '), words.slice(gap).join(' ')];
    if (isLikePlate(first) && formOf(first) === formOf(second)) return [first, second];
  }
  return [];
}

const isLikePlate = (text: string): boolean =>
  signsOf(text) >= WORD_SIGNS_MIN && /\p{L}/u.test(text) && /\p{Nd}/u.test(text);

/** `LLDDDL`: where it has letters and where digits. */
const formOf = (text: string): string =>
  normalisePlate(text)
    .replaceAll(/\p{L}/gu, 'L')
    .replaceAll(/\p{Nd}/gu, 'D');
