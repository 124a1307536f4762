/** What the console uses of the browser: its language, its clock formats, and its storage. */
import { signal } from '@preact/signals';
import type { ConsoleWords } from '../wording/en.js';
import { clockText, isSameDay } from '../wording/clock-text.js';
import { moneyFormat } from '../wording/money-format.js';
import { type Language, LANGUAGES, languageOf } from '../../../shared/languages.js';
import { keptIn } from '../../../shared/page/browser-storage.js';
import { neededPart } from '../../../shared/page/needed-part.js';

/** Until the person signs out, except language and look: they are of whoever sits at this browser. */
export const kept = keptIn(() => localStorage);
/** Until the tab is closed: what was typed and not sent. */
export const drafts = keptIn(() => sessionStorage);

export const LANGUAGE_NAME = 'language';
export const THEME_NAME = 'theme';

/** The language that a person chose here; empty: that of the browser. */
export const chosenLanguage = (): Language | '' => {
  const chosen = kept.read(LANGUAGE_NAME);
  return LANGUAGES.find((each) => each === chosen) ?? '';
};

/** Shows the console in a language, from its beginning: words are loaded once. @param chosen empty: as the browser has it */
export function chooseLanguage(chosen: Language | ''): void {
  if (chosen === '') kept.forget(LANGUAGE_NAME);
  else kept.write(LANGUAGE_NAME, chosen);
  location.reload();
}

export const language = languageOf([chosenLanguage(), ...navigator.languages]);

/** The looks that a person may choose; empty: as the device has it. */
export const THEMES = ['', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const keptTheme = (): Theme => THEMES.find((each) => each === kept.read(THEME_NAME)) ?? '';

/** The look that a person chose here. `theme-first.ts` shows it before the first paint, and the style knows it by the root. */
export const theme = signal<Theme>(keptTheme());
theme.subscribe((chosen) => {
  if (chosen === '') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
});

export function chooseTheme(chosen: Theme): void {
  if (chosen === '') kept.forget(THEME_NAME);
  else kept.write(THEME_NAME, chosen);
  theme.value = chosen;
}

// Another tab of this browser chose another one.
addEventListener('storage', ({ key }) => {
  if (key === `parking.${THEME_NAME}`) theme.value = keptTheme();
});

/** A person reads one of them: each is a script of its own. */
const WORDS: Readonly<Record<Language, () => Promise<{ CONSOLE_WORDS: ConsoleWords }>>> = {
  en: () => import('../wording/en.js'),
  de: () => import('../wording/de.js'),
  hr: () => import('../wording/hr.js'),
  hu: () => import('../wording/hu.js'),
};

export const words = (await neededPart(WORDS[language])).CONSOLE_WORDS;

/** Loads what there is once for each language, in the person's. */
export const inLanguage = <Words>(byLanguage: Readonly<Record<Language, () => Promise<Words>>>): Promise<Words> =>
  byLanguage[language]();

document.documentElement.lang = language;

const desk = matchMedia('(min-width: 68.75rem)');
/** Whether the window has room for two things beside each other. The style has the same width. */
export const isDesk = signal(desk.matches);
desk.addEventListener('change', ({ matches }) => (isDesk.value = matches));

const isToday = (at: Date, timezone: string | undefined): boolean => isSameDay(at, new Date(), timezone);

const write = (at: Date, options: Intl.DateTimeFormatOptions, timezone: string | undefined): string =>
  clockText(at, options, { locale: words.locale, timezone });

const OF_DAY = { hour: '2-digit', minute: '2-digit' } as const;
const SHORT = { day: 'numeric', month: 'short', ...OF_DAY } as const;
const TO_SECONDS = { ...OF_DAY, second: '2-digit' } as const;
const EXACT = { day: 'numeric', month: 'short', year: 'numeric', ...TO_SECONDS } as const;

/** The time zone that all of these are; where they are several, the browser's. */
export function commonTimezone(timezones: readonly (string | undefined)[]): string {
  const [first, ...others] = new Set(timezones);
  return first === undefined || others.length > 0 ? ownTimezone : first;
}

/** An ISO datetime, of today the time alone. @param timezone of the lot in which it was; left out: the browser's */
export function timeOf(iso: string, timezone?: string): string {
  const at = new Date(iso);
  return write(at, isToday(at, timezone) ? OF_DAY : SHORT, timezone);
}

const OF_PAPER = { day: 'numeric', month: 'short', year: 'numeric', ...OF_DAY } as const;

/** An ISO datetime with its day and year, also of today: paper is read on another day. @param timezone of the lot in which it was */
export const paperTimeOf = (iso: string, timezone?: string): string => write(new Date(iso), OF_PAPER, timezone);

const exactDayTime = new Intl.DateTimeFormat(words.locale, { dateStyle: 'medium', timeStyle: 'medium' });

/** An ISO datetime to the second, always with its day, in the browser's zone. */
export const exactTimeOf = (iso: string): string => exactDayTime.format(new Date(iso));

/** An ISO datetime to the second: of today the time alone. @param timezone of the lot in which it was; left out: the browser's */
export function secondsTimeOf(iso: string, timezone?: string): string {
  const at = new Date(iso);
  return write(at, isToday(at, timezone) ? TO_SECONDS : EXACT, timezone);
}

const moneyFormats = new Map<string, Intl.NumberFormat>();

/** A long list writes hundreds of amounts at once, and to make a format takes far longer than to use it. */
export function moneyOf(amount: number, currency: string | null): string {
  if (currency === null) return '–';
  const format = moneyFormats.get(currency) ?? moneyFormat(words.locale, currency);
  moneyFormats.set(currency, format);
  return format.format(amount);
}

const weekday = new Intl.DateTimeFormat(words.locale, { weekday: 'short', timeZone: 'UTC' });
/** @param day 1 is Monday */
export const weekdayOf = (day: number): string => weekday.format(Date.UTC(2026, 0, 4 + day));

/** Of whoever sits before the page. */
export const ownTimezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
