/** The order of versions of our software: `1.4.0`, `2026.11.28`, `1.5.0-rc.1`. */

/** Numbers with dots between them, and perhaps what comes before the release of that name: `-rc.1`. */
export const VERSION_PATTERN = /^\d{1,9}(\.\d{1,9}){0,3}(-[0-9A-Za-z]+([.-][0-9A-Za-z]+)*)?$/;
export const VERSION_LENGTH_MAX = 64;

/**
 * Compares two versions: numbers by their size, and `1.5.0-rc.1` before `1.5.0`. A text that is no version comes before all versions.
 * @returns below 0: `left` is the older one; 0: they are the same
 */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [partsOf(left), partsOf(right)];
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  const byNumbers = compareLists(a.numbers, b.numbers, '0');
  if (byNumbers !== 0) return byNumbers;
  if (a.before.length === 0 || b.before.length === 0) return b.before.length - a.before.length;
  return compareLists(a.before, b.before, '');
}

function partsOf(version: string): { numbers: string[]; before: string[] } | null {
  if (!VERSION_PATTERN.test(version)) return null;
  const dash = version.indexOf('-');
  if (dash < 0) return { numbers: version.split('.'), before: [] };
  return { numbers: version.slice(0, dash).split('.'), before: version.slice(dash + 1).split(/[.-]/) };
}

function compareLists(left: string[], right: string[], missing: string): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const order = compareParts(left[index] ?? missing, right[index] ?? missing);
    if (order !== 0) return order;
  }
  return 0;
}

function compareParts(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber)
    return a === '' || b === '' ? a.length - b.length : Number(isOtherNumber) - Number(isNumber);
  return a < b ? -1 : Number(a > b);
}
