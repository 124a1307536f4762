/** Counts the vehicles in each zone as time goes on. Sessions come in the order of their beginnings, and only open ones are kept. */

export interface Stay {
  zone: string;
  began_ms: number;
  /** When it stopped counting. */
  until_ms: number;
}

export interface OpenVehicles {
  /** Adds a session, which begins no earlier than those added before. */
  add(stay: Stay): void;
  /** Counts the vehicles of a zone at a time no earlier than that of the last call. */
  count(zone: string, at: number): number;
}

export function createOpenVehicles(): OpenVehicles {
  const ends = new Map<string, number[]>();
  /** The open stays of a zone as a heap: the one that ends first stands first. */
  const heapOf = (zone: string): number[] => {
    let heap = ends.get(zone);
    if (heap === undefined) ends.set(zone, (heap = []));
    return heap;
  };
  return {
    add({ zone, began_ms, until_ms }) {
      if (until_ms <= began_ms) return;
      push(heapOf(zone), until_ms);
    },
    count(zone, at) {
      const heap = heapOf(zone);
      while (heap.length > 0 && (heap[0] ?? Infinity) <= at) pop(heap);
      return heap.length;
    },
  };
}

function push(heap: number[], value: number): void {
  heap.push(value);
  for (let at = heap.length - 1; at > 0; ) {
    const parent = (at - 1) >> 1;
    if ((heap[parent] ?? 0) <= value) return;
    swap(heap, at, parent);
    at = parent;
  }
}

function pop(heap: number[]): void {
  const last = heap.pop();
  if (heap.length === 0 || last === undefined) return;
  heap[0] = last;
  for (let at = 0; ; ) {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    let least = at;
    if ((heap[left] ?? Infinity) < (heap[least] ?? Infinity)) least = left;
    if ((heap[right] ?? Infinity) < (heap[least] ?? Infinity)) least = right;
    if (least === at) return;
    swap(heap, at, least);
    at = least;
  }
}

function swap(heap: number[], a: number, b: number): void {
  const kept = heap[a] ?? 0;
  heap[a] = heap[b] ?? 0;
  heap[b] = kept;
}
