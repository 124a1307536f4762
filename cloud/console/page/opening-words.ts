/** What is said of openings, and of the search over all reads: nobody's first minute needs it. */
import { neededPart } from '../../../shared/page/needed-part.js';
import { loadOpeningWords } from './rare-words.js';

export const { openings: openingWords, reads: readWords } = await neededPart(loadOpeningWords);
