/** What the browser tells while nobody looks at the page: who does not ask for it needs no words of it. */
import { neededPart } from '../../../shared/page/needed-part.js';
import { loadBrowserAlertWords } from './rare-words.js';

export const browserAlertWords = await neededPart(loadBrowserAlertWords);
