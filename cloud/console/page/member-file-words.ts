/** What is said of files of members: only who imports one needs it. */
import { neededPart } from '../../../shared/page/needed-part.js';
import { loadMemberFileWords } from './rare-words.js';

export const memberFileWords = await neededPart(loadMemberFileWords);
