/** What is said of the list of members and of imports: nobody's first minute needs it. */
import { neededPart } from '../../../shared/page/needed-part.js';
import { loadMemberWords } from './rare-words.js';

export const memberWords = await neededPart(loadMemberWords);
