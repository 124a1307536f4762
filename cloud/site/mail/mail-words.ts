/** The words of mails, by language. */
import { MAIL_WORDS as de } from '../words/de.js';
import { MAIL_WORDS as en } from '../words/en.js';
import { MAIL_WORDS as hr } from '../words/hr.js';
import { MAIL_WORDS as hu } from '../words/hu.js';
import type { Language } from '../../../shared/languages.js';
import type { MailWords } from '../words/words.js';

export const MAIL_WORDS: Readonly<Record<Language, MailWords>> = { en, de, hr, hu };
