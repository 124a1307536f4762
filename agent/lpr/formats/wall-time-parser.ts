/** Wall times that are counted as if they were UTC. */

/** Writes wall milliseconds since 1970 as ISO 8601 without an offset. */
export function isoOfWall(wallMs: number): string {
  const days = Math.floor(wallMs / 86_400_000);
  const two = (number: number) => String(number).padStart(2, '0');
  // Days to a date (H. Hinnant's civil calendar): a pure file knows no Date.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const ofDay = wallMs - days * 86_400_000;
  const [hour, minute] = [Math.floor(ofDay / 3_600_000), Math.floor(ofDay / 60_000) % 60];
  const seconds = (ofDay % 60_000) / 1000;
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${seconds.toFixed(3).padStart(6, '0')}`;
}
