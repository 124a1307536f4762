/** Forgets the entry that was set first when there are more than `max`. An entry that is to count as new is deleted before it is set. */
export function keepNewest(entries: Map<unknown, unknown>, max: number): void {
  if (entries.size <= max) return;
  const [oldest] = entries.keys();
  entries.delete(oldest);
}
