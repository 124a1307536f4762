/** Shows a time to people of all languages: `2026-11-28 10:12 UTC`. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
