/** Makes a camera's text fit to be stored: it has no control characters (PostgreSQL stores no NUL), no halves of characters, and a bound. */
export function cleanText(text: string, lengthMax: number): string {
  return text
    .replace(/[\p{Cc}\p{Cs}]/gu, '')
    .slice(0, lengthMax)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
}
