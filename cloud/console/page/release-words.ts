/** What is said of roll-outs: few people see them. */
import { neededPart } from '../../../shared/page/needed-part.js';
import { loadReleaseWords } from './rare-words.js';

export const releaseWords = await neededPart(loadReleaseWords);
