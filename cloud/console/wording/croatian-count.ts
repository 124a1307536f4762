/** Counts in Croatian, which has three forms. Pure. */

/** 1, 21, 101 · 2 to 4, 22 · the others */
export function counted(count: number, one: string, few: string, many: string): string {
  const [last, lastTwo] = [count % 10, count % 100];
  if (last === 1 && lastTwo !== 11) return `${count} ${one}`;
  return last >= 2 && last <= 4 && (lastTwo < 12 || lastTwo > 14) ? `${count} ${few}` : `${count} ${many}`;
}
