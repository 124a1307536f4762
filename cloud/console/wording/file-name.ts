/** Names of files that people save. Pure. */

/** `sessions-Harbour-North-2026-11-01-2026-11-29.csv`. @param about of what it is; what is not said is left out */
export function fileName(about: readonly (string | null | undefined)[], ending: string): string {
  const parts = about
    .map((part) =>
      (part ?? '')
        .normalize('NFC')
        .replaceAll(/[^\p{L}\p{M}\p{Nd}]+/gu, '-')
        .replaceAll(/^-+|-+$/g, ''),
    )
    .filter((part) => part !== '');
  return `${parts.join('-')}.${ending}`;
}
