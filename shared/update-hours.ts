/** When software may be exchanged: two times of a lot's day. */

/** Between which minutes of the day, the end not included; it may go over midnight. */
export interface UpdateHours {
  from: number;
  to: number;
}

const WRITTEN = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

/** Reads `02:00-05:30`. @returns null when it is not written so, or names no time at all */
export function parseUpdateHours(text: string): UpdateHours | null {
  const [, fromHour, fromMinute, toHour, toMinute] = WRITTEN.exec(text) ?? [];
  if (fromHour === undefined) return null;
  const hours = { from: Number(fromHour) * 60 + Number(fromMinute), to: Number(toHour) * 60 + Number(toMinute) };
  return hours.from === hours.to ? null : hours;
}
