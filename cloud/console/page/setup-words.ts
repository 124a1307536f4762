/** The words of the forms and the guide in which a car park is set up, which come with these. */
import { neededPart } from '../../../shared/page/needed-part.js';
import { loadSetupWords } from './rare-words.js';

export const setupWords = await neededPart(loadSetupWords);
