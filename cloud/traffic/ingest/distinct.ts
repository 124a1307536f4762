/** Keeps one of several equal values. */

export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Maps the values by key; of several with one key it keeps the last. */
export function byKey<Key, T>(values: readonly T[], keyOf: (value: T) => Key): Map<Key, T> {
  return new Map(values.map((value) => [keyOf(value), value]));
}
