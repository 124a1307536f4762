/** The words of a person's own sign-in and profile, which come with its view. */
import { neededPart } from '../../../shared/page/needed-part.js';
import { loadProfileWords } from './rare-words.js';

export const profileWords = await neededPart(loadProfileWords);
