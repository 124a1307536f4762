/** Puts values into lists and maps: by a key, or by number. */

/** Appends a value to the list of a key. Creates the list when there is none. */
export function pushTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Groups values by their keys. Keys are in the order of their first values; the values of a key keep their order. */
export function groupBy<Key, Value>(values: Iterable<Value>, keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) pushTo(groups, keyOf(value), value);
  return groups;
}

/** Maps values by their keys. If several values have one key, the last counts. */
export function keyBy<Key, Value>(values: Iterable<Value>, keyOf: (value: Value) => Key): Map<Key, Value> {
  return new Map(Array.from(values, (value) => [keyOf(value), value]));
}

/** Keeps one of several equal values, in the order in which they first come. */
export const unique = <Value>(values: Iterable<Value>): Value[] => [...new Set(values)];

/** Cuts a list into pieces of `size` values; the last one may be shorter. An empty list has no pieces. */
export function inPieces<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}
