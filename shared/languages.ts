/** The languages of texts for people who use a page or get a mail. */
export const LANGUAGES = ['en', 'de', 'hr', 'hu'] as const;

export type Language = (typeof LANGUAGES)[number];

/** The language for people whose own language is not known or not supported. */
const COMMON_LANGUAGE: Language = 'en';

/** Returns the languages in a browser's `Accept-Language` header. Browsers send the preferred one first. */
export const acceptedLanguages = (header: string | undefined): string[] =>
  (header ?? '').split(',').map((each) => each.split(';', 1)[0]?.trim() ?? '');

/** Chooses a language. @param tags BCP 47 tags (`de-AT`), the preferred one first; unknown ones are skipped */
export const languageOf = (tags: readonly string[]): Language => knownLanguageOf(tags) ?? COMMON_LANGUAGE;

/** Like `languageOf`, but returns null when no language of the tags is supported. */
export function knownLanguageOf(tags: readonly string[]): Language | null {
  for (const tag of tags) {
    const wanted = tag.toLowerCase().split(/[-_]/, 1)[0];
    const language = LANGUAGES.find((each) => each === wanted);
    if (language !== undefined) return language;
  }
  return null;
}
