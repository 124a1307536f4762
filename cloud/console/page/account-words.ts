/** What is said of users, API tokens, webhooks and mails: nobody's first minute needs it. */
import { neededPart } from '../../../shared/page/needed-part.js';
import { loadAccountWords } from './rare-words.js';

export const accountWords = await neededPart(loadAccountWords);
