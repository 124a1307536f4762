/** Bytes that count how often each of them is looked at, by index, by a search or as a piece that is cut out. */

export interface Reads {
  /** Of the byte that was looked at most often. */
  most: number;
  /** Of all bytes together. */
  all: number;
}

/** Does the work with the bytes, and says how often they were read. What it does not need of a Uint8Array is not counted. */
export function countReads<T>(bytes: Uint8Array, work: (counted: Uint8Array) => T): { result: T; reads: Reads } {
  const counts = new Uint32Array(bytes.length);
  const read = (from: number, to: number) => {
    for (let at = Math.max(0, from); at < Math.min(to, bytes.length); at++) counts[at] = (counts[at] ?? 0) + 1;
  };
  const counted = new Proxy(bytes, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) {
        const at = Number(key);
        read(at, at + 1);
        return target[at];
      }
      if (key === 'indexOf') {
        return (byte: number, from = 0) => {
          const found = target.indexOf(byte, from);
          read(from, found === -1 ? target.length : found + 1);
          return found;
        };
      }
      if (key === 'subarray') {
        return (from: number, to = target.length) => {
          read(from, to);
          return target.subarray(from, to);
        };
      }
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value === 'function') throw new Error(`${String(key)} is not counted`);
      return value;
    },
  });
  const result = work(counted);
  return {
    result,
    reads: {
      most: counts.reduce((most, count) => Math.max(most, count), 0),
      all: counts.reduce((sum, count) => sum + count, 0),
    },
  };
}
