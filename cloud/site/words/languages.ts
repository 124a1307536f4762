/** The languages in which guests and receivers of mails are spoken to. */
export const LANGUAGES = ['en', 'de', 'hr'] as const;

export type Language = (typeof LANGUAGES)[number];

/** What is spoken to those whose language is not known, or is none of these. */
const COMMON_LANGUAGE: Language = 'en';

/** The languages that a browser asks for by `Accept-Language`, the most wanted first: browsers send them in this order. */
export const acceptedLanguages = (header: string | undefined): string[] =>
  (header ?? '').split(',').map((each) => each.split(';', 1)[0]?.trim() ?? '');

/** Chooses a language. @param tags BCP 47 tags (`de-AT`), the most wanted first; anything else in them is passed over */
export const languageOf = (tags: readonly string[]): Language => knownLanguageOf(tags) ?? COMMON_LANGUAGE;

/** The same; null when none of them is spoken here. */
export function knownLanguageOf(tags: readonly string[]): Language | null {
  for (const tag of tags) {
    const wanted = tag.toLowerCase().split(/[-_]/, 1)[0];
    const language = LANGUAGES.find((each) => each === wanted);
    if (language !== undefined) return language;
  }
  return null;
}
