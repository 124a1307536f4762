/** Things by what tells them apart. */

export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Of several with one key the last. */
export function byKey<Key, T>(values: readonly T[], keyOf: (value: T) => Key): Map<Key, T> {
  return new Map(values.map((value) => [keyOf(value), value]));
}
