/**
 * Codes that people carry by hand, such as claim codes and the passwords of devices: four groups of four letters of Crockford's base32, which
 * has no letters that look like digits when somebody reads out or types a code. They have 80 bits.
 */
export const CODE_LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const CODE_LENGTH = 16;

const TYPED_BESIDE = /[\s\p{Cf}\p{Pd}\u2212]/gu;
const MADE_CODE = new RegExp(`^[${CODE_LETTERS}]{${CODE_LENGTH}}$`);

/**
 * Returns the one form of a code as people type it: capital letters without blanks, and dashes where codes of ours have
 * them. Crockford's base32 reads O as 0, and I and L as 1. A text of nothing but dashes and blanks stays as it is, so
 * that two of them are not the same.
 */
export function canonicalCode(typed: string): string {
  const letters = typed.normalize('NFKC').replaceAll(TYPED_BESIDE, '').toUpperCase();
  if (letters === '') return typed;
  const read = letters.replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return MADE_CODE.test(read) ? groupedCode(read) : letters;
}

/** `7Q4M0ZKD...` as `7Q4M-0ZKD-...`. */
export const groupedCode = (letters: string): string => letters.replace(/(.{4})(?=.)/g, '$1-');
