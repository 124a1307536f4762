import { expect, it } from 'vitest';
import { MAIL_WORDS } from '../../../cloud/site/mail/mail-words.js';
import { LANGUAGES, languageOf } from '../../../shared/languages.js';
import { localTime } from '../../../cloud/site/words/local-time.js';

it.each([
  [['de-AT'], 'de'],
  [['hr'], 'hr'],
  [['fr-FR', 'HR-hr', 'en'], 'hr'],
  [['hu-HU', 'en'], 'hu'],
  [['en_GB'], 'en'],
  [['fr'], 'en'],
  [['', '*', 'deutsch'], 'en'],
  [[], 'en'],
])('a reader of %j gets %s', (tags, language) => {
  expect(languageOf(tags)).toBe(language);
});

it('says a time as people at the lot do', () => {
  const at = Date.UTC(2026, 6, 1, 22, 5);
  const timezone = 'Europe/Zagreb';
  const times = LANGUAGES.map((language) => localTime(at, { locale: MAIL_WORDS[language].locale, timezone }));
  // Versions of Node.js differ in their commas.
  expect(times.map((time) => time.replaceAll(',', ''))).toEqual([
    'Thursday 2 July 2026 at 00:05 CEST',
    'Donnerstag 2. Juli 2026 um 00:05 MESZ',
    'četvrtak 2. srpnja 2026. u 00:05 CEST',
    '2026. július 2. csütörtök 00:05 CEST',
  ]);
});
