/** Gives the page the browser's language, the person's choice of another, and its clock formats. */
import { signal } from '@preact/signals';
import { type Language, LANGUAGES, languageOf } from '../../../shared/languages.js';
import { keptIn } from '../../../shared/page/browser-storage.js';
import { neededPart } from '../../../shared/page/needed-part.js';
import type { LocalWords } from '../wording/en.js';

/** A person reads one of them: each is a script of its own. */
const WORDS: Readonly<Record<Language, () => Promise<{ LOCAL_WORDS: LocalWords }>>> = {
  en: () => import('../wording/en.js'),
  de: () => import('../wording/de.js'),
  hr: () => import('../wording/hr.js'),
  hu: () => import('../wording/hu.js'),
};
/** In its own language, so that a person who reads no other finds it. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  hr: 'Hrvatski',
  hu: 'Magyar',
};

const kept = keptIn(() => localStorage);

const chosen = LANGUAGES.find((each) => each === kept.read('language'));
export const language = signal<Language>(chosen ?? languageOf(navigator.languages));
const present = signal((await neededPart(WORDS[language.value])).LOCAL_WORDS);
document.documentElement.lang = language.value;

/** Returns the words in the language of the moment: whatever is drawn with them is drawn anew when that changes. */
export const words = (): LocalWords => present.value;

export async function chooseLanguage(next: Language): Promise<void> {
  // Without the gateway its words cannot be had: the page stays as it is.
  const loaded = await WORDS[next]().catch(() => null);
  if (loaded === null) return;
  present.value = loaded.LOCAL_WORDS;
  language.value = next;
  document.documentElement.lang = next;
  kept.write('language', next);
}

/** An ISO datetime by the clocks of this phone: of today the time alone. @param isToSeconds a log is read to the second */
export function timeOf(iso: string, isToSeconds = false): string {
  const at = new Date(iso);
  const isToday = at.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(words().locale, {
    ...(isToday ? {} : { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(isToSeconds ? { second: '2-digit' } : {}),
  }).format(at);
}
