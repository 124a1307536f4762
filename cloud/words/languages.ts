/** The languages in which guests and receivers of mails are spoken to. */
export const LANGUAGES = ['en', 'de', 'hr'] as const;

export type Language = (typeof LANGUAGES)[number];

/** What is spoken to those whose language is not known, or is none of these. */
const COMMON_LANGUAGE: Language = 'en';

/** Chooses a language. @param tags BCP 47 tags (`de-AT`), the most wanted first; anything else in them is passed over */
export function languageOf(tags: readonly string[]): Language {
  for (const tag of tags) {
    const wanted = tag.toLowerCase().split(/[-_]/, 1)[0];
    const language = LANGUAGES.find((each) => each === wanted);
    if (language !== undefined) return language;
  }
  return COMMON_LANGUAGE;
}
