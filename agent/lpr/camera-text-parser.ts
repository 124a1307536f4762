/** Text of a camera made fit to be stored: no control characters (PostgreSQL takes no NUL), no halves of characters, bounded. */
export function cleanText(text: string, lengthMax: number): string {
  return text
    .replace(/[\p{Cc}\p{Cs}]/gu, '')
    .slice(0, lengthMax)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
}
