/**
 * Deletes the oldest entry when there are more than `max`. Entries are ordered by insertion: to make one the newest, delete it before setting
 * it.
 */
export function keepNewest(entries: Map<unknown, unknown>, max: number): void {
  if (entries.size <= max) return;
  const [oldest] = entries.keys();
  entries.delete(oldest);
}
